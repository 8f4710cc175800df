// Package license hands out the seats of a floating licence.
package license

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNoSeat means that all seats are taken.
var ErrNoSeat = errors.New("license: all seats are taken")

// Pool has the seats of one product. The contract allows at most seats users
// at any time.
type Pool struct {
	seats  int64
	until  time.Time
	inUse  atomic.Int64
	denied atomic.Int64
}

// NewPool returns a pool that is valid until some time.
func NewPool(seats int64, until time.Time) *Pool {
	return &Pool{seats: seats, until: until}
}

// Checkout takes a seat. The caller gives it back with release, which may be
// called more than once.
func (p *Pool) Checkout() (release func(), err error) {
	switch n := p.inUse.Load(); {
	case time.Now().After(p.until):
		return nil, errors.New("license: expired")
	case n >= p.seats:
		p.denied.Add(1)
		return nil, ErrNoSeat
	}
	p.inUse.Add(1)
	return sync.OnceFunc(func() { p.inUse.Add(-1) }), nil
}

// Wait is like Checkout, but waits for a seat.
func (p *Pool) Wait(ctx context.Context) (release func(), err error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		release, err := p.Checkout()
		if !errors.Is(err, ErrNoSeat) {
			return release, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// InUse returns the number of seats that are taken.
func (p *Pool) InUse() int64 { return p.inUse.Load() }

// Denied returns how often there was no seat.
func (p *Pool) Denied() int64 { return p.denied.Load() }
