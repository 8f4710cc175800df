// Package watermark tracks event time over the partitions of a stream.
package watermark

import (
	"sync"
	"time"
)

// Event reports the event time that was seen last in a partition.
type Event struct {
	Partition int32
	Time      time.Time
	Idle      bool
}

type partition struct {
	last time.Time
	idle bool
}

// Tracker computes the low watermark of a stage.
type Tracker struct {
	lateness time.Duration
	fire     func(time.Time)
	events   chan Event
	done     chan struct{}

	mu    sync.RWMutex
	parts map[int32]partition
	low   time.Time
}

// NewTracker starts a tracker. Fire is called in order with every advance.
func NewTracker(lateness time.Duration, fire func(time.Time)) *Tracker {
	t := &Tracker{
		lateness: lateness,
		fire:     fire,
		events:   make(chan Event, 256),
		done:     make(chan struct{}),
		parts:    make(map[int32]partition),
	}
	go t.loop()
	return t
}

// Observe hands an event to the tracker. It must not be called after Close.
func (t *Tracker) Observe(e Event) {
	t.events <- e
}

// Close ends the tracker after the events that were observed. The caller calls
// it once, when all its sources have ended.
func (t *Tracker) Close() {
	close(t.events)
	<-t.done
}

// Low returns the watermark.
func (t *Tracker) Low() time.Time {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.low
}

// IsLate reports whether a record would be dropped.
func (t *Tracker) IsLate(at time.Time) bool {
	return at.Before(t.Low())
}

// Lag returns by how much each partition is ahead of the watermark.
func (t *Tracker) Lag() map[int32]time.Duration {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make(map[int32]time.Duration, len(t.parts))
	for id, p := range t.parts {
		out[id] = p.last.Sub(t.low)
	}
	return out
}

func (t *Tracker) loop() {
	defer close(t.done)
	for e := range t.events {
		t.apply(e)
		if low, ok := t.compute(); ok {
			t.advance(low)
			t.fire(low)
		}
	}
}

func (t *Tracker) apply(e Event) {
	t.mu.RLock()
	p := t.parts[e.Partition]
	t.mu.RUnlock()

	p.idle = e.Idle
	if e.Time.After(p.last) {
		p.last = e.Time
	}

	t.mu.Lock()
	t.parts[e.Partition] = p
	t.mu.Unlock()
}

// compute returns the new watermark if it is past the present one.
func (t *Tracker) compute() (time.Time, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var low time.Time
	for _, p := range t.parts {
		if p.idle {
			continue
		}
		if low.IsZero() || p.last.Before(low) {
			low = p.last
		}
	}
	if low.IsZero() {
		return low, false
	}
	low = low.Add(-t.lateness)
	return low, low.After(t.low)
}

func (t *Tracker) advance(low time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.low = low
}
