package a

import (
	"errors"
	"sync"
)

var ErrSameStation = errors.New("bikes: source and target are the same station")

type bike struct {
	serial  string
	battery int
}

// Station is a row of docks in the street.
type Station struct {
	id    int
	docks int

	mu    sync.Mutex
	bikes []bike
}

func NewStation(id, docks int) *Station {
	return &Station{id: id, docks: docks}
}

// Free tells how many docks have no bike.
func (s *Station) Free() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free()
}

func (s *Station) free() int { return s.docks - len(s.bikes) }

func (s *Station) take(n int) []bike {
	n = min(n, len(s.bikes))
	cut := len(s.bikes) - n
	out := append([]bike(nil), s.bikes[cut:]...)
	s.bikes = s.bikes[:cut]
	return out
}

func (s *Station) put(in []bike) {
	s.bikes = append(s.bikes, in...)
}

// Take removes up to n bikes.
func (s *Station) Take(n int) []bike {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(n)
}

// Put docks the bikes.
func (s *Station) Put(in []bike) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(in)
}

// Return docks one bike brought by a rider.
func (s *Station) Return(b bike) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free() == 0 {
		return false
	}
	s.put([]bike{b})
	return true
}

// Crew moves bikes between stations.
type Crew struct {
	mu    sync.Mutex
	moved int
	trips int
}

// Haul moves up to n bikes from one station to the other and tells how many.
func (c *Crew) Haul(from, to *Station, n int) (int, error) {
	if from.id == to.id {
		return 0, ErrSameStation
	}
	lo, hi := from, to
	if lo.id > hi.id {
		lo, hi = hi, lo
	}
	lo.mu.Lock()
	defer lo.mu.Unlock()
	hi.mu.Lock()
	defer hi.mu.Unlock()
	room := to.free()
	if room == 0 {
		return 0, nil
	}
	load := from.take(min(n, room))
	to.put(load)

	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved += len(load)
	c.trips++
	return len(load), nil
}

// Stats tells the trips and the bikes moved.
func (c *Crew) Stats() (trips, moved int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trips, c.moved
}
