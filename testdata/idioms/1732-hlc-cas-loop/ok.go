package a

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Timestamp is a point of the hybrid logical clock: wall time, and a counter
// that orders events of the same wall time.
type Timestamp struct {
	WallTime int64
	Logical  int32
}

func (t Timestamp) Less(o Timestamp) bool {
	return t.WallTime < o.WallTime || t.WallTime == o.WallTime && t.Logical < o.Logical
}

func (t Timestamp) Next() Timestamp {
	return Timestamp{WallTime: t.WallTime, Logical: t.Logical + 1}
}

func (t Timestamp) String() string { return fmt.Sprintf("%d,%d", t.WallTime, t.Logical) }

// Clock hands out timestamps that only go up, also when the wall clock is set
// back, and that are above those of all messages received.
type Clock struct {
	physical  func() time.Time
	maxOffset time.Duration
	last      atomic.Pointer[Timestamp]
	regressed atomic.Int64
}

func NewClock(physical func() time.Time, maxOffset time.Duration) *Clock {
	c := &Clock{physical: physical, maxOffset: maxOffset}
	c.last.Store(&Timestamp{})
	return c
}

// Now returns a timestamp above all those returned before.
func (c *Clock) Now() Timestamp {
	for {
		last := c.last.Load()
		next := Timestamp{WallTime: c.physical().UnixNano()}
		behind := next.WallTime < last.WallTime
		if !last.Less(next) {
			next = last.Next()
		}
		if c.last.CompareAndSwap(last, &next) {
			if behind {
				c.regressed.Add(1)
			}
			return next
		}
	}
}

// Update moves the clock up to the timestamp of a message.
func (c *Clock) Update(remote Timestamp) error {
	limit := c.physical().Add(c.maxOffset).UnixNano()
	if remote.WallTime > limit {
		return fmt.Errorf("remote clock at %v is too far ahead", remote)
	}
	c.forward(remote)
	return nil
}

// forward moves the clock up to t, if it is not there yet.
func (c *Clock) forward(t Timestamp) {
	for {
		last := c.last.Load()
		if !last.Less(t) {
			return
		}
		if c.last.CompareAndSwap(last, &t) {
			return
		}
	}
}

// Last returns the highest timestamp seen so far, without a tick.
func (c *Clock) Last() Timestamp { return *c.last.Load() }

// Regressions counts how often the wall clock was behind.
func (c *Clock) Regressions() int64 { return c.regressed.Load() }

// WaitPast sleeps until the wall clock has passed t, and moves the clock there.
func (c *Clock) WaitPast(t Timestamp) {
	for {
		d := time.Duration(t.WallTime - c.physical().UnixNano())
		if d < 0 {
			break
		}
		time.Sleep(d + 1)
	}
	c.forward(t)
}
