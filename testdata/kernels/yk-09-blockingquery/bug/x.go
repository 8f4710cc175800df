package bug

import (
	"context"
	"sync"
)

type Entry struct {
	Value string
	Index uint64 // index of the last change of this key
}

// State is a replicated key space with blocking queries.
type State struct {
	mu      sync.RWMutex
	index   uint64
	entries map[string]Entry
	waits   map[string]chan struct{}
}

func NewState() *State {
	return &State{
		entries: make(map[string]Entry),
		waits:   make(map[string]chan struct{}),
	}
}

// Apply sets keys in one step and wakes those who wait for any of them.
func (s *State) Apply(sets map[string]string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index++
	for k, v := range sets {
		s.entries[k] = Entry{Value: v, Index: s.index}
		s.fire(k)
	}
	return s.index
}

// Remove clears a key; the tombstone keeps the index of the removal.
func (s *State) Remove(key string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index++
	s.entries[key] = Entry{Index: s.index}
	s.fire(key)
	return s.index
}

// fire wakes the waiters of a key. The caller holds s.mu.
func (s *State) fire(key string) {
	if ch, ok := s.waits[key]; ok {
		close(ch)
		delete(s.waits, key)
	}
}

// Lookup returns the current entry of a key.
func (s *State) Lookup(key string) Entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.entries[key]
}

// changed returns a channel that is closed at the next change of a key.
func (s *State) changed(key string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, ok := s.waits[key]
	if !ok {
		ch = make(chan struct{})
		s.waits[key] = ch
	}
	return ch
}

// Await returns the entry of a key once it is newer than the given index.
func (s *State) Await(ctx context.Context, key string, after uint64) (Entry, error) {
	for {
		e := s.Lookup(key)
		if e.Index > after {
			return e, nil
		}
		select {
		case <-s.changed(key):
		case <-ctx.Done():
			return e, ctx.Err()
		}
	}
}

// Follow calls fn with each state of a key that it gets to see, until the
// context ends or fn says no.
func (s *State) Follow(ctx context.Context, key string, fn func(Entry) bool) error {
	var last uint64
	for {
		e, err := s.Await(ctx, key, last)
		if err != nil {
			return err
		}
		if !fn(e) {
			return nil
		}
		last = e.Index
	}
}
