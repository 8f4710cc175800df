package a

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// ErrTooFar is returned when the wait would exceed the caller's patience.
var ErrTooFar = errors.New("limiter: wait too long")

// Limiter spaces events evenly with the generic cell rate algorithm. Its
// whole state is the time at which the next event would be on schedule, in
// nanoseconds since start.
type Limiter struct {
	start    time.Time
	interval int64
	slack    int64
	due      atomic.Int64
}

// NewLimiter allows one event per interval, and burst of them at once.
func NewLimiter(interval time.Duration, burst int) *Limiter {
	return &Limiter{
		start:    time.Now(),
		interval: int64(interval),
		slack:    int64(interval) * int64(burst-1),
	}
}

// plan is what it takes to let n events pass.
type plan struct {
	seen int64 // the schedule the plan is made for
	due  int64 // the schedule afterwards
	wait time.Duration
}

// plan works out when n events may pass.
func (l *Limiter) plan(n int) plan {
	now := int64(time.Since(l.start))
	seen := l.due.Load()
	base := max(seen, now)
	due := base + int64(n)*l.interval
	wait := max(0, due-l.interval-l.slack-now)
	return plan{seen: seen, due: due, wait: time.Duration(wait)}
}

// commit enters a plan into the schedule if it is still the one it was made
// for.
func (l *Limiter) commit(p plan) bool {
	return l.due.CompareAndSwap(p.seen, p.due)
}

// Reserve books n events and returns how long the caller has to wait before
// they take place.
func (l *Limiter) Reserve(n int, patience time.Duration) (time.Duration, error) {
	for {
		p := l.plan(n)
		if p.wait > patience {
			return 0, ErrTooFar
		}
		if l.commit(p) {
			return p.wait, nil
		}
	}
}

// Allow says whether one event may take place right now.
func (l *Limiter) Allow() bool {
	_, err := l.Reserve(1, 0)
	return err == nil
}

// Wait blocks until one event may take place. A slot that was booked is used
// up, also when ctx ends first.
func (l *Limiter) Wait(ctx context.Context, patience time.Duration) error {
	wait, err := l.Reserve(1, patience)
	if err != nil {
		return err
	}
	if wait == 0 {
		return ctx.Err()
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Backlog estimates how long a new event would have to wait.
func (l *Limiter) Backlog() time.Duration { return l.plan(1).wait }
