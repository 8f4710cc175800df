package keylock

import (
	"context"
	"fmt"
	"sync"
)

type keySlot struct {
	sem chan struct{}
	ref int
}

// keyLocker locks by name.
type keyLocker struct {
	mu    sync.Mutex
	slots map[string]*keySlot
}

func newKeyLocker() *keyLocker {
	return &keyLocker{slots: make(map[string]*keySlot)}
}

func (kl *keyLocker) Lock(ctx context.Context, key string) error {
	kl.mu.Lock()
	s, ok := kl.slots[key]
	if !ok {
		s = &keySlot{sem: make(chan struct{}, 1)}
		kl.slots[key] = s
	}
	s.ref++
	kl.mu.Unlock()

	select {
	case s.sem <- struct{}{}:
		return nil
	case <-ctx.Done():
	}

	kl.mu.Lock()
	defer kl.mu.Unlock()
	kl.dropLocked(key, s)
	return ctx.Err()
}

func (kl *keyLocker) Unlock(key string) {
	kl.mu.Lock()
	defer kl.mu.Unlock()
	s, ok := kl.slots[key]
	if !ok {
		panic(fmt.Errorf("unlock of unlocked key %q", key))
	}
	<-s.sem
	kl.dropLocked(key, s)
}

func (kl *keyLocker) dropLocked(key string, s *keySlot) {
	s.ref--
	if s.ref == 0 {
		delete(kl.slots, key)
	}
}

// Fetcher downloads and unpacks a layer.
type Fetcher interface {
	Unpack(ctx context.Context, digest string) (dir string, err error)
}

type layerInfo struct {
	dir  string
	uses int
}

// Unpacker shares unpacked layers between concurrent image pulls.
type Unpacker struct {
	fetch Fetcher
	locks *keyLocker

	mu     sync.RWMutex
	layers map[string]layerInfo
}

// NewUnpacker returns an empty unpacker.
func NewUnpacker(f Fetcher) *Unpacker {
	return &Unpacker{fetch: f, locks: newKeyLocker(), layers: make(map[string]layerInfo)}
}

func (u *Unpacker) lookup(digest string) (layerInfo, bool) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	li, ok := u.layers[digest]
	return li, ok
}

func (u *Unpacker) record(digest string, li layerInfo) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.layers[digest] = li
}

// Layer returns the directory of a layer and unpacks it when necessary.
func (u *Unpacker) Layer(ctx context.Context, digest string) (string, error) {
	if err := u.locks.Lock(ctx, digest); err != nil {
		return "", err
	}
	defer u.locks.Unlock(digest)

	li, ok := u.lookup(digest)
	if !ok {
		dir, err := u.fetch.Unpack(ctx, digest)
		if err != nil {
			return "", err
		}
		li = layerInfo{dir: dir}
	}
	li.uses++
	u.record(digest, li)
	return li.dir, nil
}

// Pull unpacks all layers of an image side by side.
func (u *Unpacker) Pull(ctx context.Context, digests []string) ([]string, error) {
	dirs := make([]string, len(digests))
	errs := make([]error, len(digests))
	var wg sync.WaitGroup
	for i, d := range digests {
		wg.Go(func() { dirs[i], errs[i] = u.Layer(ctx, d) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return dirs, nil
}
