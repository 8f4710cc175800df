// Package ok is a store of messages with a maximum age.
package ok

import (
	"errors"
	"sync"
	"time"
)

var errClosed = errors.New("store is closed")

type message struct {
	seq  uint64
	subj string
	data []byte
	ts   time.Time
}

type counters struct {
	msgs, bytes uint64
	first, last uint64
}

// Store is safe for concurrent use.
type Store struct {
	mu       sync.RWMutex
	msgs     map[uint64]*message
	state    counters
	maxAge   time.Duration
	timer    *time.Timer
	expiring bool
	closed   bool
	onRemove func(bytes int)
}

// New returns an empty store.
func New(maxAge time.Duration, onRemove func(int)) *Store {
	return &Store{msgs: make(map[uint64]*message), maxAge: maxAge, onRemove: onRemove, state: counters{first: 1}}
}

// Put stores a message and returns its sequence.
func (s *Store) Put(subj string, data []byte) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, errClosed
	}
	s.state.last++
	m := &message{seq: s.state.last, subj: subj, data: append([]byte(nil), data...), ts: time.Now()}
	s.msgs[m.seq] = m
	s.state.msgs++
	s.state.bytes += uint64(len(m.data))
	if s.timer == nil && s.maxAge > 0 {
		s.timer = time.AfterFunc(s.maxAge, s.expire)
	}
	return m.seq, nil
}

// Remove drops a message, it tells whether it was there.
func (s *Store) Remove(seq uint64) bool {
	s.mu.Lock()
	m := s.msgs[seq]
	if m == nil {
		s.mu.Unlock()
		return false
	}
	delete(s.msgs, seq)
	s.state.msgs--
	s.state.bytes -= uint64(len(m.data))
	for s.state.first <= s.state.last && s.msgs[s.state.first] == nil {
		s.state.first++
	}
	cb := s.onRemove
	s.mu.Unlock()
	if cb != nil {
		cb(len(m.data))
	}
	return true
}

func (s *Store) expire() {
	s.mu.Lock()
	if s.expiring || s.closed {
		s.mu.Unlock()
		return
	}
	s.expiring = true
	limit := time.Now().Add(-s.maxAge)
	var due []uint64
	for seq := s.state.first; seq <= s.state.last; seq++ {
		m := s.msgs[seq]
		if m == nil {
			continue
		}
		if m.ts.After(limit) {
			break
		}
		due = append(due, seq)
	}
	s.mu.Unlock()

	for _, seq := range due {
		s.Remove(seq)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.expiring = false
	s.timer = nil
	if s.closed || s.state.msgs == 0 {
		return
	}
	wait := time.Until(s.msgs[s.state.first].ts.Add(s.maxAge))
	s.timer = time.AfterFunc(max(wait, 10*time.Millisecond), s.expire)
}

// State returns the number of messages and bytes.
func (s *Store) State() (msgs, bytes, first, last uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.msgs, s.state.bytes, s.state.first, s.state.last
}

// Close stops the timer.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}
