package index

import "sync"

type segment struct {
	name  string
	mu    sync.Mutex
	refs  int
	terms map[string][]uint32
	freed chan struct{}
}

func newSegment(name string, terms map[string][]uint32) *segment {
	return &segment{name: name, refs: 1, terms: terms, freed: make(chan struct{})}
}

func (s *segment) retain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refs == 0 {
		return false
	}
	s.refs++
	return true
}

func (s *segment) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refs--; s.refs > 0 {
		return
	}
	s.terms = nil
	close(s.freed)
}

func (s *segment) postings(term string) []uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]uint32(nil), s.terms[term]...)
}
