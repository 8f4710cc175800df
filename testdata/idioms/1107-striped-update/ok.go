// Correct: get and put lock the map for themselves, but every change of a key
// is made by someone who holds the stripe of that key from before the first
// read until after the last write; readers without the stripe read one entry.

// Package ok is a store with updates by function.
package ok

import (
	"errors"
	"hash/maphash"
	"sync"
)

var ErrExists = errors.New("key exists")

// stripes are locks shared by keys of the same hash.
type stripes struct {
	seed  maphash.Seed
	locks [64]sync.Mutex
}

func (s *stripes) lock(key string) (unlock func()) {
	m := &s.locks[maphash.String(s.seed, key)%uint64(len(s.locks))]
	m.Lock()
	return m.Unlock
}

// Store maps keys to values of type V.
type Store[V any] struct {
	keys stripes

	mu   sync.RWMutex
	data map[string]V
	puts int
}

func NewStore[V any]() *Store[V] {
	return &Store[V]{keys: stripes{seed: maphash.MakeSeed()}, data: make(map[string]V)}
}

// Get returns the value of key.
func (s *Store[V]) Get(key string) (V, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.data[key]
	return v, ok
}

func (s *Store[V]) put(key string, v V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[key] = v
	s.puts++
}

func (s *Store[V]) drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.data, key)
}

// Create sets a key that has no value yet.
func (s *Store[V]) Create(key string, v V) error {
	defer s.keys.lock(key)()
	if _, ok := s.Get(key); ok {
		return ErrExists
	}
	s.put(key, v)
	return nil
}

// Update replaces the value of key by edit's result, which may take long. With
// keep false the key is dropped. edit must not change the store.
func (s *Store[V]) Update(key string, edit func(old V, ok bool) (v V, keep bool)) {
	defer s.keys.lock(key)()
	old, ok := s.Get(key)
	v, keep := edit(old, ok)
	switch {
	case keep:
		s.put(key, v)
	case ok:
		s.drop(key)
	}
}

// Take removes key and returns what it had.
func (s *Store[V]) Take(key string) (V, bool) {
	defer s.keys.lock(key)()
	v, ok := s.Get(key)
	if ok {
		s.drop(key)
	}
	return v, ok
}

// Len returns the numbers of keys and of writes so far.
func (s *Store[V]) Len() (keys, puts int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.data), s.puts
}
