package drained

import (
	"sync"
	"sync/atomic"
)

type meter struct{ n atomic.Int64 }

type reading struct {
	of *meter
	n  int64
}

// Meters are read one by one, sent together, and then set back.
type Meters struct {
	mu    sync.RWMutex
	flush sync.Mutex
	all   map[string]*meter
	send  func([]int64) error
}

func (s *Meters) Count(name string) {
	s.mu.RLock()
	m := s.all[name]
	s.mu.RUnlock()
	if m != nil {
		m.n.Add(1)
	}
}

func (s *Meters) list() []*meter {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []*meter
	for _, m := range s.all {
		out = append(out, m)
	}
	return out
}

// Flush forgets what has been counted while it sends.
func (s *Meters) Flush() {
	var batch []int64
	list := s.list()
	for _, m := range list {
		batch = append(batch, m.n.Load())
	}
	if s.send(batch) != nil {
		return
	}
	for _, m := range list {
		m.n.Store(0) // want `meter.n was read at line \d+, but`
	}
}

// FlushSome sets back those that it has collected, under a lock that keeps other flushes out.
func (s *Meters) FlushSome() {
	s.flush.Lock()
	defer s.flush.Unlock()
	var batch []int64
	var from []*meter
	for _, m := range s.list() {
		if n := m.n.Load(); n > 0 {
			batch, from = append(batch, n), append(from, m)
		}
	}
	if s.send(batch) != nil {
		return
	}
	for _, m := range from {
		m.settle() // want `meter.n was read at line \d+, but`
	}
}

func (m *meter) settle() { m.n.Store(0) }

// FlushSent takes off what it has sent.
func (s *Meters) FlushSent() {
	var batch []int64
	var from []reading
	for _, m := range s.list() {
		n := m.n.Load()
		batch, from = append(batch, n), append(from, reading{m, n})
	}
	if s.send(batch) != nil {
		return
	}
	for _, r := range from {
		r.of.n.Add(-r.n)
	}
}
