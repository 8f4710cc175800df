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

// The same call in each round of a loop.
func (s *Shop) Average(n int) int {
	s.mu.Lock() // context of the loop
	sum := 0
	for range n {
		sum += s.stock.Parts() // report in the loop
	}
	s.mu.Unlock()
	return sum / n
}

// The context is taken by the caller.
func (s *Shop) Loss() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loss()
}

func (s *Shop) loss() int {
	before := s.stock.Parts()       // first of the callee
	return s.stock.Parts() - before // report in the callee
}
