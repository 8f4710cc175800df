package server

import (
	"sync"
	"sync/atomic"
)

// SublistResult has the subscriptions of a subject. It is not changed.
type SublistResult struct {
	psubs []*subscription
}

// Sublist stores and efficiently retrieves subscriptions.
type Sublist struct {
	genid uint64

	mu   sync.RWMutex
	subs map[string]map[*subscription]struct{}
}

// NewSublist returns an empty list.
func NewSublist() *Sublist {
	return &Sublist{subs: make(map[string]map[*subscription]struct{})}
}

// GenID changes with every change of the list.
func (s *Sublist) GenID() uint64 { return atomic.LoadUint64(&s.genid) }

// Insert adds a subscription.
func (s *Sublist) Insert(sub *subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	subs := s.subs[sub.subject]
	if subs == nil {
		subs = make(map[*subscription]struct{})
		s.subs[sub.subject] = subs
	}
	subs[sub] = struct{}{}
	atomic.AddUint64(&s.genid, 1)
}

// Remove removes a subscription.
func (s *Sublist) Remove(sub *subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.subs[sub.subject], sub)
	if len(s.subs[sub.subject]) == 0 {
		delete(s.subs, sub.subject)
	}
	atomic.AddUint64(&s.genid, 1)
}

// Match returns the subscriptions of a subject.
func (s *Sublist) Match(subject string) *SublistResult {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r := &SublistResult{}
	for sub := range s.subs[subject] {
		r.psubs = append(r.psubs, sub)
	}
	return r
}
