// Package quota stores uploads within a byte limit.
package quota

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

var (
	// ErrFull is returned when an upload does not fit.
	ErrFull = errors.New("quota: limit reached")
	// ErrUnknown is returned for ids that are not stored.
	ErrUnknown = errors.New("quota: unknown object")
)

// Backend writes and removes blobs; both may be slow.
type Backend interface {
	Write(ctx context.Context, id uint64, r io.Reader) (int64, error)
	Remove(ctx context.Context, id uint64) error
}

// Store accounts for the objects in a backend.
type Store struct {
	backend Backend
	limit   int64
	lastID  atomic.Uint64

	mu       sync.Mutex
	used     int64
	reserved int64
	sizes    map[uint64]int64
}

// NewStore returns an empty store that holds up to limit bytes.
func NewStore(b Backend, limit int64) *Store {
	return &Store{backend: b, limit: limit, sizes: make(map[uint64]int64)}
}

func (s *Store) reserve(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 0 || n > s.limit-s.used-s.reserved {
		return ErrFull
	}
	s.reserved += n
	return nil
}

func (s *Store) cancel(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved -= n
}

func (s *Store) commit(id uint64, reserved, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved -= reserved
	s.used += size
	s.sizes[id] = size
}

// Upload stores at most size bytes of r and returns the new object's id.
func (s *Store) Upload(ctx context.Context, r io.Reader, size int64) (uint64, error) {
	if err := s.reserve(size); err != nil {
		return 0, err
	}
	id := s.lastID.Add(1)
	n, err := s.backend.Write(ctx, id, io.LimitReader(r, size))
	if err != nil {
		rerr := s.backend.Remove(context.WithoutCancel(ctx), id)
		s.cancel(size)
		return 0, errors.Join(fmt.Errorf("upload %d: %w", id, err), rerr)
	}
	s.commit(id, size, n)
	return id, nil
}

// Delete removes an object. Its bytes count until the backend let go of
// them.
func (s *Store) Delete(ctx context.Context, id uint64) error {
	s.mu.Lock()
	size, ok := s.sizes[id]
	delete(s.sizes, id)
	s.mu.Unlock()
	if !ok {
		return ErrUnknown
	}
	if err := s.backend.Remove(ctx, id); err != nil {
		s.restore(id, size)
		return fmt.Errorf("delete %d: %w", id, err)
	}
	s.mu.Lock()
	s.used -= size
	s.mu.Unlock()
	return nil
}

func (s *Store) restore(id uint64, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes[id] = size
}

// Usage returns the bytes stored and the bytes promised to uploads.
func (s *Store) Usage() (used, reserved int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.reserved
}
