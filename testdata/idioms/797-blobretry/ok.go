// Package blob stores values in append-only segments with an index in memory.
package blob

import (
	"errors"
	"fmt"
	"sync"
)

var (
	// ErrNotFound is returned for unknown keys.
	ErrNotFound = errors.New("blob: not found")

	errRetired = errors.New("blob: segment retired")
)

// Backend is the file of a segment. Reads and appends may run concurrently.
type Backend interface {
	Append(p []byte) (off int64, err error)
	ReadAt(p []byte, off int64) (n int, err error)
	Close() error
}

type segment struct {
	mu      sync.RWMutex
	file    Backend
	retired bool
}

func (s *segment) read(l loc) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.retired {
		return nil, errRetired
	}
	buf := make([]byte, l.size)
	if _, err := s.file.ReadAt(buf, l.off); err != nil {
		return nil, fmt.Errorf("blob: read: %w", err)
	}
	return buf, nil
}

func (s *segment) retire() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired = true
	return s.file.Close()
}

type loc struct {
	seg  *segment
	off  int64
	size int
}

// Store is a set of segments.
type Store struct {
	mu     sync.RWMutex
	active *segment
	index  map[string]loc

	compaction sync.Mutex
}

// Open returns a store that writes to file.
func Open(file Backend) *Store {
	return &Store{active: &segment{file: file}, index: make(map[string]loc)}
}

// Put stores a value.
func (s *Store) Put(key string, val []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.append(key, val)
}

func (s *Store) append(key string, val []byte) error {
	off, err := s.active.file.Append(val)
	if err != nil {
		return fmt.Errorf("blob: append: %w", err)
	}
	s.index[key] = loc{seg: s.active, off: off, size: len(val)}
	return nil
}

// Get returns the value of key.
func (s *Store) Get(key string) ([]byte, error) {
	for {
		s.mu.RLock()
		l, ok := s.index[key]
		s.mu.RUnlock()
		if !ok {
			return nil, ErrNotFound
		}
		val, err := l.seg.read(l)
		if errors.Is(err, errRetired) {
			continue
		}
		return val, err
	}
}

// Delete removes key.
func (s *Store) Delete(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.index, key)
}

// Rotate makes file the active segment and compacts the previous one into it.
func (s *Store) Rotate(file Backend) error {
	s.compaction.Lock()
	defer s.compaction.Unlock()
	s.mu.Lock()
	old := s.active
	s.active = &segment{file: file}
	live := make(map[string]loc)
	for k, l := range s.index {
		if l.seg == old {
			live[k] = l
		}
	}
	s.mu.Unlock()

	for k, l := range live {
		val, err := old.read(l)
		if err != nil {
			return err
		}
		if err := s.move(k, l, val); err != nil {
			return err
		}
	}
	return old.retire()
}

func (s *Store) move(key string, from loc, val []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index[key] != from {
		return nil
	}
	return s.append(key, val)
}
