package discarded

import (
	"context"
	"sync"
	"sync/atomic"
)

type blob struct{ cost int64 }

// Slots have blobs by name, and know what these cost together.
type Slots struct {
	blobs sync.Map
	used  atomic.Int64

	mu     sync.Mutex
	cancel context.CancelFunc
}

// Set takes off the cost of a blob that another call may have replaced, too.
func (s *Slots) Set(name string, b *blob) {
	s.used.Add(b.cost)
	prev, ok := s.blobs.Load(name)
	s.blobs.Store(name, b) // want `s.blobs\[name\] was read at line \d+, but .* another goroutine may put another one there before this write: what was read is then ended again, and the other one never`
	if ok {
		s.used.Add(-prev.(*blob).cost)
	}
}

// Swap takes off the cost of that which it has replaced.
func (s *Slots) Swap(name string, b *blob) {
	s.used.Add(b.cost)
	prev, ok := s.blobs.Swap(name, b)
	if ok {
		s.used.Add(-prev.(*blob).cost)
	}
}

func (s *Slots) current() context.CancelFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cancel
}

// Reset ends a context that another call may have ended, too.
func (s *Slots) Reset(next context.CancelFunc) {
	old := s.current()
	s.mu.Lock()
	s.cancel = next // want `s.cancel was read at line \d+, but .* what was read is then ended again, and the other one never`
	s.mu.Unlock()
	if old != nil {
		old()
	}
}

// ResetAtOnce takes out what it ends in the section that replaces it.
func (s *Slots) ResetAtOnce(next context.CancelFunc) {
	s.mu.Lock()
	old := s.cancel
	s.cancel = next
	s.mu.Unlock()
	if old != nil {
		old()
	}
}
