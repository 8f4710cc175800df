// Package related has marked the places that belong to its two reports. Many
// functions write the pair: one of them is named.
package related

import "sync"

type Span struct {
	mu       sync.Mutex
	from, to int
}

func (s *Span) Move(from, to int) {
	s.mu.Lock()
	s.from = from // view
	s.to = to
	s.mu.Unlock()
}

func (s *Span) Grow(n int) {
	s.mu.Lock()
	s.from -= n
	s.to += n
	s.mu.Unlock()
}

func (s *Span) Clear() {
	s.mu.Lock()
	s.from, s.to = 0, 0
	s.mu.Unlock()
}

func (s *Span) Len() int {
	s.mu.Lock()
	from := s.from // first
	s.mu.Unlock()  // release
	s.mu.Lock()    // second section
	to := s.to     // report
	s.mu.Unlock()
	return to - from // join
}
