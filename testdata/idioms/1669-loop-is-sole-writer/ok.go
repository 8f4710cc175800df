package a

import (
	"context"
	"sync"
)

type call struct {
	floor int
	reply chan int
}

// Car is one elevator.
type Car struct {
	calls chan call
	drive func(from, to int)
	start sync.Once

	mu    sync.RWMutex
	floor int
	trips int
	stops map[int]int
}

func NewCar(drive func(from, to int)) *Car {
	return &Car{calls: make(chan call), drive: drive, stops: make(map[int]int)}
}

// Start lets the car work until the context ends.
func (c *Car) Start(ctx context.Context) {
	c.start.Do(func() { go c.loop(ctx) })
}

func (c *Car) loop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case k := <-c.calls:
			k.reply <- c.serve(k.floor)
		}
	}
}

func (c *Car) serve(floor int) int {
	from := c.Floor()
	if from == floor {
		return 0
	}
	c.drive(from, floor)
	c.arrive(floor)
	if from > floor {
		return from - floor
	}
	return floor - from
}

func (c *Car) arrive(floor int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.floor = floor
	c.trips++
	c.stops[floor]++
}

// Call asks the car to a floor and tells how far it went.
func (c *Car) Call(ctx context.Context, floor int) (int, error) {
	k := call{floor: floor, reply: make(chan int, 1)}
	select {
	case c.calls <- k:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case n := <-k.reply:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Floor tells where the car is.
func (c *Car) Floor() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.floor
}

// Trips counts the trips and the stops at a floor.
func (c *Car) Trips(floor int) (trips, stops int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.trips, c.stops[floor]
}
