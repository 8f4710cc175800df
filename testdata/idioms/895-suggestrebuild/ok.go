// Package suggest completes search terms. Terms are learned from queries, and
// a sorted list of them is rebuilt in the background.
package suggest

import (
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Suggester is safe for concurrent use.
type Suggester struct {
	list atomic.Pointer[[]string] // sorted, never changed once published

	mu     sync.RWMutex
	counts map[string]int

	// stale is raised after a change of counts.
	stale atomic.Bool
}

// New returns a suggester without terms.
func New() *Suggester {
	s := &Suggester{counts: make(map[string]int)}
	s.list.Store(&[]string{})
	return s
}

// minCount is how often a term must have been used to be suggested.
const minCount = 3

// Learn counts a use of term.
func (s *Suggester) Learn(term string) {
	term = strings.ToLower(strings.TrimSpace(term))
	if term == "" {
		return
	}
	if s.count(term) == minCount {
		s.stale.Store(true)
	}
}

// count adds a use of term and returns how many there are.
func (s *Suggester) count(term string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[term]++
	return s.counts[term]
}

// Ban forgets a term. It can be learned anew.
func (s *Suggester) Ban(term string) {
	term = strings.ToLower(strings.TrimSpace(term))
	s.mu.Lock()
	delete(s.counts, term)
	s.mu.Unlock()
	s.stale.Store(true)
}

// Run rebuilds the list when it is stale, until ctx ends. It is started once.
func (s *Suggester) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.refresh()
		}
	}
}

// refresh publishes a new list if there have been changes.
func (s *Suggester) refresh() {
	if !s.stale.Swap(false) {
		return
	}
	terms := s.popular()
	sort.Strings(terms)
	s.list.Store(&terms)
}

// popular returns the terms that have been used often enough.
func (s *Suggester) popular() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var terms []string
	for t, n := range s.counts {
		if n >= minCount {
			terms = append(terms, t)
		}
	}
	return terms
}

// Complete returns up to limit terms that begin with prefix.
func (s *Suggester) Complete(prefix string, limit int) []string {
	prefix = strings.ToLower(prefix)
	terms := *s.list.Load()
	from, _ := slices.BinarySearch(terms, prefix)
	var out []string
	for _, t := range terms[from:] {
		if len(out) == limit || !strings.HasPrefix(t, prefix) {
			break
		}
		out = append(out, t)
	}
	return out
}
