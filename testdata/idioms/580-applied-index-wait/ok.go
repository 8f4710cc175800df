// Package ok serves linearizable reads from a replicated state machine.
package ok

import (
	"context"
	"sync"
	"sync/atomic"
)

// waitTime wakes those who wait for an index that has been reached.
type waitTime struct {
	mu   sync.Mutex
	last uint64
	m    map[uint64]chan struct{}
}

var closed = func() <-chan struct{} {
	ch := make(chan struct{})
	close(ch)
	return ch
}()

func (w *waitTime) wait(index uint64) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last >= index {
		return closed
	}
	ch := w.m[index]
	if ch == nil {
		ch = make(chan struct{})
		w.m[index] = ch
	}
	return ch
}

func (w *waitTime) trigger(index uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = index
	for i, ch := range w.m {
		if i <= index {
			delete(w.m, i)
			close(ch)
		}
	}
}

// Entry is a committed command.
type Entry struct {
	Index      uint64
	Key, Value string
}

// Server is safe for concurrent use, except for Apply.
type Server struct {
	committed atomic.Uint64
	applied   atomic.Uint64
	applyWait waitTime

	mu sync.RWMutex
	kv map[string]string
}

// NewServer returns an empty server.
func NewServer() *Server {
	return &Server{applyWait: waitTime{m: make(map[uint64]chan struct{})}, kv: make(map[string]string)}
}

// SetCommitted notes that the quorum has the entries up to index.
func (s *Server) SetCommitted(index uint64) {
	for {
		old := s.committed.Load()
		if old >= index || s.committed.CompareAndSwap(old, index) {
			return
		}
	}
}

// Apply is called by the apply loop with the committed entries in order.
func (s *Server) Apply(entries []Entry) {
	for _, e := range entries {
		if e.Index <= s.applied.Load() {
			continue // replayed after a restart of the loop
		}
		s.mu.Lock()
		s.kv[e.Key] = e.Value
		s.mu.Unlock()
		s.applied.Store(e.Index)
	}
	s.applyWait.trigger(s.applied.Load())
}

// Get returns the value of a key. It sees all entries that were committed when
// it was called, and perhaps newer ones.
func (s *Server) Get(ctx context.Context, key string) (string, error) {
	index := s.committed.Load()
	if s.applied.Load() < index {
		select {
		case <-s.applyWait.wait(index):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.kv[key], nil
}
