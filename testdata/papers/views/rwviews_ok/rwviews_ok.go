// Package rwviews_ok has views of a sync.RWMutex, after "High-level data races" (view
// consistency), repaired.
//
// The view of Span.Move is {start, end}, and so is that of Span.Len: the read lock is
// held from one read to the other, which keeps writers out.
package rwviews_ok

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

// Span is the part of a text from start to end.
type Span struct {
	mu         sync.RWMutex
	start, end int
}

func (s *Span) Move(start, end int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start, s.end = start, end
}

func (s *Span) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	start := s.start
	pause()
	return s.end - start
}

func Run() {
	s := &Span{start: 1, end: 2}
	var wg sync.WaitGroup
	wg.Go(func() { s.Move(10, 12) })
	wg.Go(func() { s.Len() })
	wg.Go(func() { s.Len() })
	wg.Wait()
}
