// Package uplink forwards sensor readings of an IoT gateway to the cloud and
// holds them back while the link is down.
package uplink

import (
	"context"
	"log"
	"sync"
	"time"
)

// Reading is one value of a sensor.
type Reading struct {
	Sensor string
	At     time.Time
	Value  float64
}

// Transport delivers readings; an error means that none was taken.
type Transport interface {
	Deliver(ctx context.Context, batch []Reading) error
}

// Spool is a bounded queue of readings. When it is full the oldest reading
// gives way to the new one.
type Spool struct {
	wake chan struct{}
	size int

	mu       sync.Mutex
	queue    []Reading
	overflow uint64
}

// NewSpool returns a spool for size readings, at least one.
func NewSpool(size int) *Spool {
	return &Spool{wake: make(chan struct{}, 1), size: max(size, 1)}
}

// Push adds a reading. It never blocks; field bus drivers call it.
func (s *Spool) Push(r Reading) {
	s.mu.Lock()
	if len(s.queue) >= s.size {
		s.queue = s.queue[1:]
		s.overflow++
	}
	s.queue = append(s.queue, r)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Head returns a copy of up to max readings from the front.
func (s *Spool) Head(max int) []Reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(max, len(s.queue))
	return append([]Reading(nil), s.queue[:n]...)
}

// Discard removes n readings from the front.
func (s *Spool) Discard(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(n, len(s.queue))
	s.queue = s.queue[n:]
}

// Stats returns the length of the queue and how often it has overflowed.
func (s *Spool) Stats() (queued int, overflow uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue), s.overflow
}

// Uplink empties a spool.
type Uplink struct {
	spool *Spool
	to    Transport
	batch int
	retry time.Duration
}

// New returns an uplink that delivers at most batch readings at a time.
func New(spool *Spool, to Transport, batch int, retry time.Duration) *Uplink {
	return &Uplink{spool: spool, to: to, batch: batch, retry: retry}
}

// Start forwards readings in the background until the context ends. A spool
// has one uplink.
func (u *Uplink) Start(ctx context.Context) (done <-chan struct{}) {
	ch := make(chan struct{})
	go func() {
		defer close(ch)
		u.run(ctx)
	}()
	return ch
}

func (u *Uplink) run(ctx context.Context) {
	for {
		more, err := u.forward(ctx)
		if err != nil {
			log.Printf("uplink: %v", err)
			if !sleep(ctx, u.retry) {
				return
			}
			continue
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-u.spool.wake:
		}
	}
}

// forward delivers one batch. The readings stay in the spool until the cloud
// has confirmed them.
func (u *Uplink) forward(ctx context.Context) (more bool, err error) {
	batch := u.spool.Head(u.batch)
	if len(batch) == 0 {
		return false, nil
	}
	if err := u.to.Deliver(ctx, batch); err != nil {
		return false, err
	}
	u.spool.Discard(len(batch))
	return true, nil
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
