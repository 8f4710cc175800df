// Package fix is a small key-value state store with blocking queries.
package fix

import (
	"context"
	"errors"
	"sync"
)

var ErrNotFound = errors.New("state: no such key")

type entry[V any] struct {
	value   V
	present bool
	index   uint64
	changed chan struct{}
}

type Result[V any] struct {
	Value V
	Found bool
	Index uint64
}

type Store[V any] struct {
	mu      sync.Mutex
	index   uint64
	entries map[string]*entry[V]
}

func NewStore[V any]() *Store[V] {
	return &Store[V]{entries: make(map[string]*entry[V])}
}

// entry returns the entry of key, making an empty one; s.mu is held.
func (s *Store[V]) entry(key string) *entry[V] {
	e, ok := s.entries[key]
	if !ok {
		e = &entry[V]{changed: make(chan struct{})}
		s.entries[key] = e
	}
	return e
}

func (s *Store[V]) bump(e *entry[V]) {
	s.index++
	e.index = s.index
	close(e.changed)
	e.changed = make(chan struct{})
}

func (s *Store[V]) Put(key string, v V) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entry(key)
	e.value, e.present = v, true
	s.bump(e)
	return e.index
}

func (s *Store[V]) Delete(key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[key]
	if !ok || !e.present {
		return ErrNotFound
	}
	var zero V
	e.value, e.present = zero, false
	s.bump(e)
	return nil
}

// Get returns what is stored now.
func (s *Store[V]) Get(key string) Result[V] {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[key]
	if !ok {
		return Result[V]{}
	}
	return Result[V]{Value: e.value, Found: e.present, Index: e.index}
}

// watch returns a channel that is closed at the next change of key.
func (s *Store[V]) watch(key string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entry(key).changed
}

// Query returns once key has changed after minIndex, or when the context
// ends, with what is stored by then.
func (s *Store[V]) Query(ctx context.Context, key string, minIndex uint64) Result[V] {
	for {
		changed := s.watch(key)
		res := s.Get(key)
		if res.Index > minIndex {
			return res
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return s.Get(key)
		}
	}
}

// Follow calls fn with each state of key that it sees.
func (s *Store[V]) Follow(ctx context.Context, key string, fn func(Result[V])) {
	var last uint64
	for ctx.Err() == nil {
		res := s.Query(ctx, key, last)
		if res.Index > last {
			last = res.Index
			fn(res)
		}
	}
}
