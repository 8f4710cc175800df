// Package a sells the places of a ferry sailing.
package a

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrFull   = errors.New("ferry: not enough places")
	ErrNoHold = errors.New("ferry: hold does not exist")
)

// hold keeps places for a customer who has not paid yet.
type hold struct {
	customer string
	places   int
	until    time.Time
}

// Sailing is one departure.
type Sailing struct {
	mu    sync.RWMutex
	free  int
	sold  int
	last  int
	holds map[int]hold
}

// NewSailing returns a departure with the given number of places.
func NewSailing(places int) *Sailing {
	return &Sailing{free: places, holds: make(map[int]hold)}
}

// Hold keeps places until the given time and returns the number of the hold.
func (s *Sailing) Hold(customer string, places int, until time.Time) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if places > s.free {
		return 0, ErrFull
	}
	s.free -= places
	s.last++
	s.holds[s.last] = hold{customer, places, until}
	return s.last, nil
}

// Extend gives the customer more time. A hold can be extended as long as it
// has not been swept.
func (s *Sailing) Extend(id int, until time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.holds[id]
	if !ok {
		return ErrNoHold
	}
	h.until = until
	s.holds[id] = h
	return nil
}

// Pay turns a hold into tickets.
func (s *Sailing) Pay(id int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.holds[id]
	if !ok {
		return ErrNoHold
	}
	delete(s.holds, id)
	s.sold += h.places
	return nil
}

// Cancel gives up a hold.
func (s *Sailing) Cancel(id int) error {
	if !s.release(id) {
		return ErrNoHold
	}
	return nil
}

func (s *Sailing) release(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.holds[id]
	if !ok {
		return false
	}
	delete(s.holds, id)
	s.free += h.places
	return true
}

// Sweep gives the places of lapsed holds back and returns how many holds
// were released. The booking office runs it every minute.
func (s *Sailing) Sweep(now time.Time) int {
	n := 0
	for _, id := range s.lapsed(now) {
		if s.releaseLapsed(id, now) {
			n++
		}
	}
	return n
}

func (s *Sailing) releaseLapsed(id int, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.holds[id]
	if !ok || !h.until.Before(now) {
		return false
	}
	delete(s.holds, id)
	s.free += h.places
	return true
}

func (s *Sailing) lapsed(now time.Time) []int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var ids []int
	for id, h := range s.holds {
		if h.until.Before(now) {
			ids = append(ids, id)
		}
	}
	return ids
}
