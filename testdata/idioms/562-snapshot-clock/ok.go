// Package ok records the last seen logical time in a journal.
package ok

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// Clock is a logical clock.
type Clock struct{ counter atomic.Uint64 }

// Time returns the current time.
func (c *Clock) Time() uint64 { return c.counter.Load() }

// Increment advances the clock and returns the new time.
func (c *Clock) Increment() uint64 { return c.counter.Add(1) }

// Witness moves the clock past a time that somebody else has used.
func (c *Clock) Witness(v uint64) {
	for {
		cur := c.counter.Load()
		if v < cur {
			return
		}
		if c.counter.CompareAndSwap(cur, v+1) {
			return
		}
	}
}

// Snapshotter writes a journal of the clock; it may lag behind.
type Snapshotter struct {
	clock *Clock
	out   io.Writer
	stop  chan struct{}
	done  chan struct{}

	last    atomic.Uint64 // read by Last, written by the stream only
	written atomic.Int64
}

// NewSnapshotter starts a journal.
func NewSnapshotter(clock *Clock, out io.Writer, every time.Duration) *Snapshotter {
	s := &Snapshotter{
		clock: clock,
		out:   out,
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	go s.stream(every)
	return s
}

func (s *Snapshotter) stream(every time.Duration) {
	defer close(s.done)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.updateClock()
		case <-s.stop:
			s.updateClock()
			return
		}
	}
}

// updateClock is called by the stream only.
func (s *Snapshotter) updateClock() {
	now := s.clock.Time()
	if now == 0 {
		return
	}
	if seen := now - 1; seen > s.last.Load() {
		n, err := fmt.Fprintf(s.out, "clock: %d\n", seen)
		if err == nil {
			s.last.Store(seen)
			s.written.Store(s.written.Load() + int64(n))
		}
	}
}

// Last returns the last time in the journal.
func (s *Snapshotter) Last() uint64 { return s.last.Load() }

// Written returns the size of the journal.
func (s *Snapshotter) Written() int64 { return s.written.Load() }

// Close finishes the journal. Call it once.
func (s *Snapshotter) Close() {
	close(s.stop)
	<-s.done
}
