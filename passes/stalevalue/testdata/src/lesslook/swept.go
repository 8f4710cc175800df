package lesslook

import (
	"sync"
	"time"
)

// A Hold is a value: who prolongs it stores another one.
type Hold struct {
	places int
	until  time.Time
}

type Sailing struct {
	mu    sync.Mutex
	free  int
	last  int
	holds map[int]Hold
}

func (s *Sailing) Hold(places int, until time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.free -= places
	s.holds[s.last] = Hold{places, until}
	return s.last
}

func (s *Sailing) Extend(id int, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, ok := s.holds[id]; ok {
		h.until = until
		s.holds[id] = h
	}
}

func (s *Sailing) lapsed(now time.Time) (ids []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, h := range s.holds {
		if h.until.Before(now) {
			ids = append(ids, id)
		}
	}
	return ids
}

// release asks whether there is a hold, and not whether it has lapsed.
func (s *Sailing) release(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.holds[id]
	if !ok {
		return
	}
	delete(s.holds, id)
	s.free += h.places
}

func (s *Sailing) releaseLapsed(id int, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.holds[id]
	if !ok || !h.until.Before(now) {
		return
	}
	delete(s.holds, id)
	s.free += h.places
}

func (s *Sailing) Sweep(now time.Time) {
	for _, id := range s.lapsed(now) {
		s.release(id) // want `check-then-act: s.holds was checked at line 74`
	}
}

// SweepAgain is right.
func (s *Sailing) SweepAgain(now time.Time) {
	for _, id := range s.lapsed(now) {
		s.releaseLapsed(id, now)
	}
}

// Tickets are not changed: each has a number of its own.
type Tickets struct {
	mu   sync.Mutex
	sold int
	last int
	all  map[int]Hold
}

func (t *Tickets) Sell(places int, until time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	t.sold += places
	t.all[t.last] = Hold{places, until}
	return t.last
}

func (t *Tickets) release(id int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h, ok := t.all[id]
	if !ok {
		return
	}
	delete(t.all, id)
	t.sold -= h.places
}

// Sweep is right.
func (t *Tickets) Sweep(now time.Time) {
	var ids []int
	t.mu.Lock()
	for id, h := range t.all {
		if h.until.Before(now) {
			ids = append(ids, id)
		}
	}
	t.mu.Unlock()
	for _, id := range ids {
		t.release(id)
	}
}
