// Package related has marked the places that belong to its reports.
package related

import "sync"

type Stock struct {
	mu    sync.Mutex
	parts int
}

func (s *Stock) Parts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parts
}

func (s *Stock) Sell(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts -= n // writer
}

type Shop struct {
	mu    sync.Mutex
	stock *Stock
	sold  int
}

func (s *Shop) Order(n int) bool {
	s.mu.Lock()             // context
	n = min(n, 10)          //
	have := s.stock.Parts() // first
	if have < n {
		s.mu.Unlock()
		return false
	}
	s.stock.Sell(n) // report
	s.sold += n
	s.mu.Unlock()
	return true
}
