package dispatch

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	ErrNoRide   = errors.New("dispatch: no such ride")
	ErrConflict = errors.New("dispatch: ride changes too fast")
)

// Ride is kept by value; rev is renewed by every change.
type Ride struct {
	ID     string
	Driver string
	Stops  []string
	ETA    time.Time
	rev    uint64
}

// Router estimates the drive over the network.
type Router interface {
	Estimate(ctx context.Context, driver string, stops []string) (time.Duration, error)
}

// Board holds the open rides.
type Board struct {
	router Router

	mu      sync.Mutex
	rides   map[string]Ride
	lastRev uint64
}

func NewBoard(r Router) *Board {
	return &Board{router: r, rides: make(map[string]Ride)}
}

// Open enters a new ride.
func (b *Board) Open(id, driver string, stops ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.storeLocked(Ride{ID: id, Driver: driver, Stops: stops})
}

func (b *Board) storeLocked(r Ride) {
	b.lastRev++
	r.rev = b.lastRev
	b.rides[r.ID] = r
}

// Close ends a ride.
func (b *Board) Close(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.rides, id)
}

// Ride returns a copy.
func (b *Board) Ride(id string) (Ride, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.rides[id]
	return r, ok
}

// AddStop appends a stop while the ride is under way. The slices of older
// copies are left alone.
func (b *Board) AddStop(id, stop string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.rides[id]
	if !ok {
		return ErrNoRide
	}
	r.Stops = append(r.Stops[:len(r.Stops):len(r.Stops)], stop)
	b.storeLocked(r)
	return nil
}

// commit writes back a ride that was changed outside of the lock.
func (b *Board) commit(r Ride) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rides[r.ID].rev != r.rev {
		return false
	}
	b.storeLocked(r)
	return true
}

// RefreshETA asks the router and stores the arrival time.
func (b *Board) RefreshETA(ctx context.Context, id string) error {
	for range 3 {
		r, ok := b.Ride(id)
		if !ok {
			return ErrNoRide
		}
		left, err := b.router.Estimate(ctx, r.Driver, r.Stops)
		if err != nil {
			return err
		}
		r.ETA = time.Now().Add(left)
		if b.commit(r) {
			return nil
		}
	}
	return ErrConflict
}

// Watch refreshes a ride until it is closed or ctx ends.
func (b *Board) Watch(ctx context.Context, id string) {
	go func() {
		tick := time.NewTicker(15 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if errors.Is(b.RefreshETA(ctx, id), ErrNoRide) {
					return
				}
			}
		}
	}()
}
