// Package a pulls container image layers and shares them between images.
package a

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Registry downloads the layer with the digest into dir.
type Registry interface {
	Fetch(ctx context.Context, digest, dir string) error
}

type layer struct {
	dir  string
	once sync.Once
	err  error
	refs int
}

// Store keeps unpacked layers for as long as an image uses them.
type Store struct {
	sync.Mutex
	root   string
	reg    Registry
	seq    int
	layers map[string]*layer
	log    *slog.Logger
}

// NewStore returns a store below root.
func NewStore(root string, reg Registry, log *slog.Logger) *Store {
	return &Store{root: root, reg: reg, layers: make(map[string]*layer), log: log}
}

// Acquire returns the directory of a layer and pulls it when needed. Each
// successful call has to be paired with a Release.
func (s *Store) Acquire(ctx context.Context, digest string) (string, error) {
	s.Lock()
	l, ok := s.layers[digest]
	if !ok {
		s.seq++
		short, _, _ := strings.Cut(strings.TrimPrefix(digest, "sha256:"), "@")
		l = &layer{dir: filepath.Join(s.root, fmt.Sprintf("%s-%d", short, s.seq))}
		s.layers[digest] = l
	}
	l.refs++
	s.Unlock()

	l.once.Do(func() {
		if l.err = os.MkdirAll(l.dir, 0o755); l.err == nil {
			l.err = s.reg.Fetch(ctx, digest, l.dir)
		}
	})
	if l.err != nil {
		return "", errors.Join(fmt.Errorf("pull %s: %w", digest, l.err), s.Release(digest))
	}
	return l.dir, nil
}

// Release gives back a layer returned by Acquire. A layer which nobody uses
// any more is deleted.
func (s *Store) Release(digest string) error {
	s.Lock()
	l, ok := s.layers[digest]
	if !ok {
		s.Unlock()
		return fmt.Errorf("release %s: not held", digest)
	}
	l.refs--
	unused := l.refs == 0
	if unused {
		delete(s.layers, digest)
	}
	s.Unlock()
	if !unused {
		return nil
	}

	s.log.Info("layer unused", "digest", digest, "dir", l.dir)
	return os.RemoveAll(l.dir)
}

// PullAll acquires the layers of an image at the same time.
func (s *Store) PullAll(ctx context.Context, digests []string) ([]string, error) {
	dirs := make([]string, len(digests))
	errs := make([]error, len(digests))
	var wg sync.WaitGroup
	for i, d := range digests {
		wg.Add(1)
		go func() {
			defer wg.Done()
			dirs[i], errs[i] = s.Acquire(ctx, d)
		}()
	}
	wg.Wait()
	err := errors.Join(errs...)
	if err == nil {
		return dirs, nil
	}
	for i, d := range digests {
		if errs[i] == nil {
			err = errors.Join(err, s.Release(d))
		}
	}
	return nil, err
}
