// Package keylock has one lock per key, kept only while it is in use.
package keylock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Locker locks single keys.
type Locker struct {
	mu    sync.Mutex
	locks map[string]*slot
}

type slot struct {
	sem  chan struct{} // holds an element while the key is locked
	refs int           // holder and waiters, protected by Locker.mu
}

// New returns a Locker with no key locked.
func New() *Locker {
	return &Locker{locks: make(map[string]*slot)}
}

// Lock locks key. It gives up when ctx is done.
func (l *Locker) Lock(ctx context.Context, key string) error {
	l.mu.Lock()
	s, ok := l.locks[key]
	if !ok {
		s = &slot{sem: make(chan struct{}, 1)}
		l.locks[key] = s
	}
	s.refs++
	l.mu.Unlock()

	select {
	case s.sem <- struct{}{}:
		return nil
	case <-ctx.Done():
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	l.unrefLocked(key, s)
	return ctx.Err()
}

// Unlock unlocks key, which has to be locked.
func (l *Locker) Unlock(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.locks[key]
	if !ok {
		panic(fmt.Sprintf("keylock: unlock of unlocked key %q", key))
	}
	select {
	case <-s.sem:
	default:
		panic(fmt.Sprintf("keylock: unlock of unlocked key %q", key))
	}
	l.unrefLocked(key, s)
}

func (l *Locker) unrefLocked(key string, s *slot) {
	s.refs--
	if s.refs == 0 {
		delete(l.locks, key)
	}
}

// Layers keeps unpacked layers in directories named after their digests.
type Layers struct {
	root   string
	locker *Locker
	unpack func(ctx context.Context, digest, dir string) error
}

// NewLayers returns the layers below root.
func NewLayers(root string, unpack func(ctx context.Context, digest, dir string) error) *Layers {
	return &Layers{root: root, locker: New(), unpack: unpack}
}

// Ensure returns the directory of a layer, unpacking it if needed.
func (ls *Layers) Ensure(ctx context.Context, digest string) (string, error) {
	if err := ls.locker.Lock(ctx, digest); err != nil {
		return "", err
	}
	defer ls.locker.Unlock(digest)

	dir := filepath.Join(ls.root, digest)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	tmp := dir + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return "", err
	}
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return "", err
	}
	if err := ls.unpack(ctx, digest, tmp); err != nil {
		return "", err
	}
	return dir, os.Rename(tmp, dir)
}

// Remove deletes a layer.
func (ls *Layers) Remove(ctx context.Context, digest string) error {
	if err := ls.locker.Lock(ctx, digest); err != nil {
		return err
	}
	defer ls.locker.Unlock(digest)
	return os.RemoveAll(filepath.Join(ls.root, digest))
}
