package dispatch

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

const retryAfter = 2 * time.Second

var ErrNoTrip = errors.New("dispatch: driver has no such trip")

type Point struct{ Lat, Lon float64 }

func (p Point) distance(q Point) float64 {
	return math.Hypot(p.Lat-q.Lat, p.Lon-q.Lon)
}

// Trip is immutable once requested.
type Trip struct {
	ID     string
	Rider  string
	Pickup Point
}

type driver struct {
	id string

	mu   sync.Mutex
	pos  Point
	trip *Trip
	gone bool
}

func (d *driver) position() Point {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pos
}

func (d *driver) moveTo(p Point) {
	d.mu.Lock()
	d.pos = p
	d.mu.Unlock()
}

// tryAssign gives the driver the trip unless he is busy or has left.
func (d *driver) tryAssign(t *Trip) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trip != nil || d.gone {
		return false
	}
	d.trip = t
	return true
}

// retire takes the open trip, if any, away from a driver who leaves.
func (d *driver) retire() *Trip {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.trip
	d.trip = nil
	d.gone = true
	return t
}

// Fleet knows the drivers that are online.
type Fleet struct {
	mu      sync.RWMutex
	drivers map[string]*driver

	requests chan *Trip
}

func NewFleet() *Fleet {
	return &Fleet{drivers: make(map[string]*driver), requests: make(chan *Trip, 1024)}
}

// Online is called by the driver's app when a shift starts and on every move.
func (f *Fleet) Online(id string, at Point) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d, ok := f.drivers[id]
	if !ok {
		d = &driver{id: id}
		f.drivers[id] = d
	}
	d.moveTo(at)
}

// Offline ends a shift; a trip the driver still had goes back to the queue.
func (f *Fleet) Offline(ctx context.Context, id string) error {
	f.mu.Lock()
	d, ok := f.drivers[id]
	delete(f.drivers, id)
	f.mu.Unlock()
	if !ok {
		return nil
	}
	if t := d.retire(); t != nil {
		return f.Request(ctx, t)
	}
	return nil
}

// Finish is called when the rider was dropped off.
func (f *Fleet) Finish(id, tripID string) error {
	f.mu.RLock()
	d := f.drivers[id]
	f.mu.RUnlock()
	if d == nil {
		return ErrNoTrip
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.trip == nil || d.trip.ID != tripID {
		return ErrNoTrip
	}
	d.trip = nil
	return nil
}

func (f *Fleet) nearest(p Point) []*driver {
	dist := make(map[*driver]float64)
	f.mu.RLock()
	for _, d := range f.drivers {
		dist[d] = d.position().distance(p)
	}
	f.mu.RUnlock()
	return slices.SortedFunc(maps.Keys(dist), func(a, b *driver) int {
		return cmp.Compare(dist[a], dist[b])
	})
}

// Request queues a trip for dispatching.
func (f *Fleet) Request(ctx context.Context, t *Trip) error {
	select {
	case f.requests <- t:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *Fleet) dispatch(t *Trip) bool {
	for _, d := range f.nearest(t.Pickup) {
		if d.tryAssign(t) {
			return true
		}
	}
	return false
}

// Run hands queued trips to drivers until ctx ends.
func (f *Fleet) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-f.requests:
			if !f.dispatch(t) {
				time.AfterFunc(retryAfter, func() { _ = f.Request(ctx, t) })
			}
		}
	}
}
