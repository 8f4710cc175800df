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

type car struct {
	floor      int
	target     int
	serving    bool
	outOfOrder bool
}

// Bank is a group of cars that answers hall calls together.
type Bank struct {
	top int

	mu    sync.Mutex
	cars  []car
	trips map[int]int // finished trips per car
}

// NewBank returns a bank of n cars, all of them on the ground floor.
func NewBank(n, top int) *Bank {
	return &Bank{
		top:   top,
		cars:  make([]car, n),
		trips: make(map[int]int),
	}
}

// Call answers a hall call and returns the number of the car that comes.
func (b *Bank) Call(floor int) (int, error) {
	if floor < 0 || floor > b.top {
		return 0, ErrFloor
	}
	id := b.nearest(floor)
	if id < 0 {
		return 0, ErrNoCar
	}
	b.send(id, floor)
	return id, nil
}

// nearest returns the idle car with the shortest way to floor, or -1.
func (b *Bank) nearest(floor int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	best, way := -1, b.top+1
	for i := range b.cars {
		c := &b.cars[i]
		if c.serving || c.outOfOrder {
			continue
		}
		if d := distance(c.floor, floor); d < way {
			best, way = i, d
		}
	}
	return best
}

// send starts the trip of a car.
func (b *Bank) send(id, floor int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cars[id].target = floor
	b.cars[id].serving = true
}

// Arrived is reported by the car when its doors have opened.
func (b *Bank) Arrived(id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &b.cars[id]
	if !c.serving {
		return
	}
	c.floor = c.target
	c.serving = false
	b.trips[id]++
}

// Trips returns how many trips a car has made.
func (b *Bank) Trips(id int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trips[id]
}

func distance(from, to int) int {
	if from > to {
		return from - to
	}
	return to - from
}
