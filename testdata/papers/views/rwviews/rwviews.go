// Package rwviews has views of a sync.RWMutex, after "High-level data races" (view
// consistency): a section under RLock has a view, too.
//
// The view of Span.Move is {start, end}, those of Span.Len are {start} and {end}, each
// under RLock. If Move comes between the two, the end of the new place meets the start
// of the old, and the length is that of no span there ever was.
package rwviews

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
	start := s.start
	s.mu.RUnlock()
	pause()
	s.mu.RLock()
	end := s.end
	s.mu.RUnlock()
	return end - start
}

func Run() {
	s := &Span{start: 1, end: 2}
	var wg sync.WaitGroup
	wg.Go(func() { s.Move(10, 12) })
	wg.Go(func() { s.Len() })
	wg.Go(func() { s.Len() })
	wg.Wait()
}
