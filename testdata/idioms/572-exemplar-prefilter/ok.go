// Package ok is a circular buffer of exemplars.
package ok

import (
	"errors"
	"sync"
)

// Errors of the storage.
var (
	ErrDisabled   = errors.New("exemplar: storage is disabled")
	ErrOutOfOrder = errors.New("exemplar: out of order")
)

// Exemplar is an example of an event.
type Exemplar struct {
	Series, TraceID string
	T               int64
}

// Storage keeps the newest exemplars. It is safe for concurrent use.
type Storage struct {
	mu     sync.RWMutex
	buf    []Exemplar
	next   int
	newest map[string]int64 // time by series
}

// NewStorage returns a storage for n exemplars.
func NewStorage(n int) *Storage {
	return &Storage{buf: make([]Exemplar, n), newest: make(map[string]int64)}
}

// Size returns the capacity. It is 0 while the storage is disabled.
func (s *Storage) Size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.buf)
}

// validate is called with mu held.
func (s *Storage) validate(e Exemplar) error {
	if len(s.buf) == 0 {
		return ErrDisabled
	}
	if t, ok := s.newest[e.Series]; ok && e.T < t {
		return ErrOutOfOrder
	}
	return nil
}

// Add adds an exemplar.
func (s *Storage) Add(e Exemplar) error {
	// Most servers have the storage disabled: do not contend for the lock.
	if s.Size() == 0 {
		return ErrDisabled
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.validate(e); err != nil {
		return err
	}
	s.buf[s.next] = e
	s.next = (s.next + 1) % len(s.buf)
	s.newest[e.Series] = e.T
	return nil
}

// Resize changes the capacity. The oldest exemplars are dropped if they do not
// fit.
func (s *Storage) Resize(n int) {
	if n == s.Size() {
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	old := append(s.buf[s.next:len(s.buf):len(s.buf)], s.buf[:s.next]...)
	s.buf, s.next = make([]Exemplar, n), 0
	clear(s.newest)
	if len(old) > n {
		old = old[len(old)-n:]
	}
	for _, e := range old {
		if e.Series == "" {
			continue
		}
		s.buf[s.next] = e
		s.next = (s.next + 1) % n
		s.newest[e.Series] = max(s.newest[e.Series], e.T)
	}
}

// Select returns the exemplars of a series in [start, end].
func (s *Storage) Select(series string, start, end int64) (res []Exemplar) {
	if s.Size() == 0 {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, e := range s.buf {
		if e.Series == series && start <= e.T && e.T <= end {
			res = append(res, e)
		}
	}
	return res
}
