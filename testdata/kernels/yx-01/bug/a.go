package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrNoSeat    = errors.New("no such seat")
	ErrTaken     = errors.New("seat already taken")
	ErrNotHolder = errors.New("seat is not held by this booking")
)

// Place names one seat in one coach.
type Place struct {
	Coach int
	Seat  int
}

// Coach keeps the seat plan of one carriage.
type Coach struct {
	number int

	mu    sync.Mutex
	seats map[int]string // seat -> booking reference, "" when free
	free  int
}

func newCoach(number, size int) *Coach {
	c := &Coach{number: number, seats: make(map[int]string, size), free: size}
	for s := 1; s <= size; s++ {
		c.seats[s] = ""
	}
	return c
}

func (c *Coach) take(seat int, ref string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	holder, ok := c.seats[seat]
	if !ok {
		return ErrNoSeat
	}
	if holder != "" {
		return ErrTaken
	}
	c.seats[seat] = ref
	c.free--
	return nil
}

func (c *Coach) release(seat int, ref string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if holder, ok := c.seats[seat]; !ok || holder != ref {
		return ErrNotHolder
	}
	c.seats[seat] = ""
	c.free++
	return nil
}

func (c *Coach) restore(seat int, ref string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seats[seat] = ref
	c.free--
}

// Train is one departure.
type Train struct {
	coaches map[int]*Coach // fixed after NewTrain
	changes atomic.Int64
}

func NewTrain(sizes ...int) *Train {
	t := &Train{coaches: make(map[int]*Coach)}
	for i, n := range sizes {
		t.coaches[i+1] = newCoach(i+1, n)
	}
	return t
}

// Reserve books one place for ref.
func (t *Train) Reserve(ref string, p Place) error {
	c, ok := t.coaches[p.Coach]
	if !ok || ref == "" {
		return ErrNoSeat
	}
	return c.take(p.Seat, ref)
}

// Cancel gives the place back.
func (t *Train) Cancel(ref string, p Place) error {
	c, ok := t.coaches[p.Coach]
	if !ok || ref == "" {
		return ErrNoSeat
	}
	return c.release(p.Seat, ref)
}

// Change moves a booking to another place. The booking keeps its old place
// when the new one cannot be had.
func (t *Train) Change(ref string, from, to Place) error {
	src, ok := t.coaches[from.Coach]
	dst, ok2 := t.coaches[to.Coach]
	if !ok || !ok2 || ref == "" {
		return ErrNoSeat
	}
	if err := src.release(from.Seat, ref); err != nil {
		return err
	}
	if err := dst.take(to.Seat, ref); err != nil {
		src.restore(from.Seat, ref)
		return err
	}
	t.changes.Add(1)
	return nil
}
