// Package a assigns the hall calls of a lift bank to its cars.
package a

import (
	"errors"
	"sync"
)

var (
	ErrNoCar = errors.New("elevator: no idle car")
	ErrFloor = errors.New("elevator: no such floor")
)

// car has its own lock, since the cabin computer reports on its own.
type car struct {
	mu      sync.Mutex
	floor   int
	target  int
	serving bool
	parked  bool // taken out of service
}

// where returns the position of the car and whether it is idle.
func (c *car) where() (floor int, idle bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.floor, !c.serving && !c.parked
}

// claim starts a trip if the car is idle.
func (c *car) claim(target int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.serving || c.parked {
		return false
	}
	c.target = target
	c.serving = true
	return true
}

// Bank is a group of cars; the group does not change.
type Bank struct {
	top  int
	cars []*car
}

// NewBank returns a bank of n cars, all of them on the ground floor.
func NewBank(n, top int) *Bank {
	b := &Bank{top: top}
	for range n {
		b.cars = append(b.cars, &car{})
	}
	return b
}

// Call answers a hall call and returns the number of the car that comes.
func (b *Bank) Call(floor int) (int, error) {
	if floor < 0 || floor > b.top {
		return 0, ErrFloor
	}
	for {
		id := b.nearest(floor)
		if id < 0 {
			return 0, ErrNoCar
		}
		if b.cars[id].claim(floor) {
			return id, nil
		}
	}
}

// nearest proposes the idle car with the shortest way to floor, or -1.
func (b *Bank) nearest(floor int) int {
	best, way := -1, b.top+1
	for i, c := range b.cars {
		at, idle := c.where()
		if !idle {
			continue
		}
		if d := max(at-floor, floor-at); d < way {
			best, way = i, d
		}
	}
	return best
}

// Arrived is reported by the car when its doors have opened.
func (b *Bank) Arrived(id int) {
	c := b.cars[id]
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.serving {
		c.floor = c.target
		c.serving = false
	}
}

// Park takes a car out of service after its present trip, or returns it.
func (b *Bank) Park(id int, parked bool) {
	c := b.cars[id]
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parked = parked
}
