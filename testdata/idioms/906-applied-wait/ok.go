// Package follower is the read side of a replicated key-value store. A client
// that wrote through the leader brings the index of its write, and a follower
// answers when it has applied the log at least that far.
package follower

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	// ErrGap is returned by Apply for an entry that is not the next one.
	ErrGap = errors.New("follower: gap in the log")
	// ErrNoKey is returned for a key that is not set.
	ErrNoKey = errors.New("follower: no such key")
)

// Entry is one entry of the replicated log. A nil Value deletes the key.
type Entry struct {
	Index uint64
	Key   string
	Value []byte
}

// Result is a value with the index of the entry that set it.
type Result struct {
	Value []byte
	Index uint64
}

// Store is the state of the follower. It is safe for concurrent use.
type Store struct {
	mu      sync.Mutex
	applied uint64 // index of the latest applied entry
	data    map[string]Result
	moved   chan struct{} // closed and replaced when applied moves
}

// NewStore returns the state before the first entry.
func NewStore() *Store {
	return &Store{data: make(map[string]Result), moved: make(chan struct{})}
}

// Apply applies entries in the order of the log. Entries that were applied
// before are skipped.
func (s *Store) Apply(entries []Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.applied
	err := s.applyLocked(entries)
	if s.applied != before {
		close(s.moved)
		s.moved = make(chan struct{})
	}
	return err
}

func (s *Store) applyLocked(entries []Entry) error {
	for _, e := range entries {
		switch {
		case e.Index <= s.applied:
			continue
		case e.Index > s.applied+1:
			return fmt.Errorf("%w: %d after %d", ErrGap, e.Index, s.applied)
		case e.Value == nil:
			delete(s.data, e.Key)
		default:
			s.data[e.Key] = Result{Value: e.Value, Index: e.Index}
		}
		s.applied = e.Index
	}
	return nil
}

// Applied returns the index of the latest applied entry.
func (s *Store) Applied() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.applied
}

// progress returns the latest applied index, and a channel that is closed when
// there is a later one.
func (s *Store) progress() (uint64, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.applied, s.moved
}

// wait returns when the entry at index is applied.
func (s *Store) wait(ctx context.Context, index uint64) error {
	for {
		applied, moved := s.progress()
		if applied >= index {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("follower: at %d, wanted %d: %w", applied, index, ctx.Err())
		}
	}
}

func (s *Store) lookup(key string) (Result, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.data[key]
	return r, ok
}

// Read returns the value of the key as of the entry at index, or as of any
// later one.
func (s *Store) Read(ctx context.Context, key string, index uint64) (Result, error) {
	if err := s.wait(ctx, index); err != nil {
		return Result{}, err
	}
	r, ok := s.lookup(key)
	if !ok {
		return Result{}, fmt.Errorf("%w: %s", ErrNoKey, key)
	}
	return r, nil
}

// Follow applies what the stream of the leader delivers until it ends.
func (s *Store) Follow(ctx context.Context, stream <-chan []Entry) error {
	for {
		select {
		case entries, ok := <-stream:
			if !ok {
				return nil
			}
			if err := s.Apply(entries); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
