// Package related has marked the places that belong to its one report.
package related

import "sync"

type Stock struct {
	mu    sync.Mutex
	parts map[string]int
}

func (s *Stock) Order(name string, n int) {
	s.mu.Lock()
	have := s.parts[name] // check
	s.mu.Unlock()         // release
	if have < 0 {
		return
	}
	s.mu.Lock()                // reacquisition
	s.parts[name] = have*2 + n // act
	s.mu.Unlock()
}

func (s *Stock) Sell(name string) {
	s.mu.Lock()
	s.parts[name]-- // writer (*Stock).Sell
	s.mu.Unlock()
}

func (s *Stock) Scrap(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.parts, name) // writer (*Stock).Scrap
}
