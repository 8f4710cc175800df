// Package layers shares unpacked image layers between containers.
package layers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// Unpacker extracts the layer with the given digest into a directory.
type Unpacker func(ctx context.Context, digest, dir string) error

type layer struct {
	digest string
	dir    string
	refs   atomic.Int32
}

// Store unpacks each layer once and removes it with its last user. It is safe
// for concurrent use.
type Store struct {
	root   string
	unpack Unpacker

	mu   sync.Mutex
	live map[string]*layer
}

// NewStore returns a store that keeps its directories below root.
func NewStore(root string, unpack Unpacker) *Store {
	return &Store{root: root, unpack: unpack, live: make(map[string]*layer)}
}

// Ref is the use of a layer by one container.
type Ref struct {
	store *Store
	layer *layer
	once  sync.Once
	err   error
}

// Dir is the lower directory for an overlay mount. It is valid until Close.
func (r *Ref) Dir() string { return r.layer.dir }

// Close ends the use of the layer.
func (r *Ref) Close() error {
	r.once.Do(func() { r.err = r.store.release(r.layer) })
	return r.err
}

// Acquire returns a reference to the layer and unpacks it if need be.
func (s *Store) Acquire(ctx context.Context, digest string) (*Ref, error) {
	s.mu.Lock()
	if l, ok := s.live[digest]; ok {
		l.refs.Add(1)
		s.mu.Unlock()
		return &Ref{store: s, layer: l}, nil
	}
	s.mu.Unlock()

	dir, err := os.MkdirTemp(s.root, "layer-")
	if err != nil {
		return nil, fmt.Errorf("layers: %w", err)
	}
	if err := s.unpack(ctx, digest, dir); err != nil {
		return nil, errors.Join(fmt.Errorf("layers: unpack %s: %w", digest, err), os.RemoveAll(dir))
	}

	s.mu.Lock()
	if l, ok := s.live[digest]; ok {
		// Another container was faster; use its copy.
		l.refs.Add(1)
		s.mu.Unlock()
		_ = os.RemoveAll(dir)
		return &Ref{store: s, layer: l}, nil
	}
	l := &layer{digest: digest, dir: dir}
	l.refs.Store(1)
	s.live[digest] = l
	s.mu.Unlock()
	return &Ref{store: s, layer: l}, nil
}

// release gives up one use of the layer and cleans up after the last one.
func (s *Store) release(l *layer) error {
	s.mu.Lock()
	if l.refs.Add(-1) > 0 {
		s.mu.Unlock()
		return nil
	}
	delete(s.live, l.digest)
	s.mu.Unlock()
	if err := os.RemoveAll(l.dir); err != nil {
		return fmt.Errorf("layers: remove %s: %w", l.digest, err)
	}
	return nil
}

// AcquireAll returns references to all layers of an image, in order.
func (s *Store) AcquireAll(ctx context.Context, digests []string) ([]*Ref, error) {
	refs := make([]*Ref, len(digests))
	errs := make([]error, len(digests))
	var wg sync.WaitGroup
	for i, d := range digests {
		wg.Go(func() { refs[i], errs[i] = s.Acquire(ctx, d) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		for _, r := range refs {
			if r != nil {
				_ = r.Close()
			}
		}
		return nil, err
	}
	return refs, nil
}

// Usage reports how many containers use each layer.
func (s *Store) Usage() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]int, len(s.live))
	for d, l := range s.live {
		out[d] = int(l.refs.Load())
	}
	return out
}
