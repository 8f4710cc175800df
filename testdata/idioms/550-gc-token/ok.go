// Package bins stores blobs in bins. A bin that is mostly garbage is emptied
// into the newest one and removed.
package bins

import (
	"errors"
	"sync"
)

var (
	ErrBusy      = errors.New("bins: a collection is running")
	ErrNoGarbage = errors.New("bins: no bin has enough garbage")
	ErrNotFound  = errors.New("bins: no such blob")
)

const binBytes = 1 << 20

// place is where a blob is. It has to be looked up again after the lock was
// released, for a collection moves blobs.
type place struct {
	bin   uint64
	index int
}

type blob struct {
	key  string
	data []byte
}

// bin is a list of blobs. Only the newest bin grows.
type bin struct {
	id      uint64
	blobs   []blob
	bytes   int
	garbage int // bytes of blobs that are not in use any more
}

// Store is safe for concurrent use.
type Store struct {
	// collecting has room for one value. Who has put it there may remove
	// bins.
	collecting chan struct{}

	mu     sync.RWMutex
	bins   map[uint64]*bin
	newest *bin
	index  map[string]place
}

// New returns an empty store.
func New() *Store {
	s := &Store{
		collecting: make(chan struct{}, 1),
		bins:       make(map[uint64]*bin),
		index:      make(map[string]place),
	}
	s.addBin(1)
	return s
}

// addBin makes a new bin the newest. The lock is held.
func (s *Store) addBin(id uint64) {
	s.newest = &bin{id: id}
	s.bins[id] = s.newest
}

// put stores a blob. The lock is held.
func (s *Store) put(key string, data []byte) {
	if s.newest.bytes >= binBytes {
		s.addBin(s.newest.id + 1)
	}
	b := s.newest
	b.blobs = append(b.blobs, blob{key, data})
	b.bytes += len(data)
	s.index[key] = place{b.id, len(b.blobs) - 1}
}

// discard counts the blob of a key as garbage. The lock is held.
func (s *Store) discard(key string) bool {
	p, ok := s.index[key]
	if ok {
		b := s.bins[p.bin]
		b.garbage += len(b.blobs[p.index].data)
		delete(s.index, key)
	}
	return ok
}

// Put stores data under a key. The data must not be changed afterwards.
func (s *Store) Put(key string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.discard(key)
	s.put(key, data)
}

// Delete removes the blob of a key.
func (s *Store) Delete(key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.discard(key) {
		return ErrNotFound
	}
	return nil
}

// Get returns the blob of a key.
func (s *Store) Get(key string) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p, ok := s.index[key]
	if !ok {
		return nil, ErrNotFound
	}
	return s.bins[p.bin].blobs[p.index].data, nil
}

// Collect empties and removes the bin with the most garbage, if that is at
// least the given part of the bin. Only one collection runs at a time.
func (s *Store) Collect(part float64) error {
	select {
	case s.collecting <- struct{}{}:
		defer func() { <-s.collecting }()
	default:
		return ErrBusy
	}

	b := s.pick(part)
	if b == nil {
		return ErrNoGarbage
	}
	s.empty(b)

	// Nobody else removes bins, and a bin that was left behind by the newest
	// one is not written to.
	s.mu.Lock()
	delete(s.bins, b.id)
	s.mu.Unlock()
	return nil
}

// pick returns the bin that should be emptied, but not the newest.
func (s *Store) pick(part float64) *bin {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var best *bin
	for _, b := range s.bins {
		if b == s.newest || float64(b.garbage) < part*float64(b.bytes) {
			continue
		}
		if best == nil || b.garbage > best.garbage {
			best = b
		}
	}
	return best
}

// empty moves the blobs of a bin that are still in use. The lock is released
// after every blob.
func (s *Store) empty(b *bin) {
	for i, bl := range b.blobs {
		s.mu.Lock()
		if p, ok := s.index[bl.key]; ok && p == (place{b.id, i}) {
			s.put(bl.key, bl.data)
		}
		s.mu.Unlock()
	}
}

// Bins returns the number of bins.
func (s *Store) Bins() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.bins)
}
