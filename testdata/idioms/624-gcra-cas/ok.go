// Package gcra is a rate limiter whose whole state is one timestamp.
package gcra

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrTooLong means that the wait would exceed the caller's deadline.
var ErrTooLong = errors.New("gcra: wait exceeds the deadline")

// Limiter lets events through at an even rate with some tolerance.
type Limiter struct {
	interval int64
	burst    int64
	now      func() time.Time
	due      atomic.Int64
}

// New returns a limiter for perSecond events with a burst.
func New(perSecond int, burst int) *Limiter {
	if perSecond <= 0 {
		perSecond = 1
	}
	step := int64(time.Second) / int64(perSecond)
	return &Limiter{interval: step, burst: step * int64(burst), now: time.Now}
}

func (l *Limiter) take(now int64) (wait time.Duration, ok bool) {
	for {
		due := l.due.Load()
		next := max(due, now) + l.interval
		if early := next - now - l.burst - l.interval; early > 0 {
			return time.Duration(early), false
		}
		if l.due.CompareAndSwap(due, next) {
			return 0, true
		}
	}
}

// Allow says if an event may happen now.
func (l *Limiter) Allow() bool {
	_, ok := l.take(l.now().UnixNano())
	return ok
}

// Wait blocks until an event may happen.
func (l *Limiter) Wait(ctx context.Context) error {
	for {
		wait, ok := l.take(l.now().UnixNano())
		if ok {
			return nil
		}
		if dl, has := ctx.Deadline(); has && time.Until(dl) < wait {
			return ErrTooLong
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// Group has a limiter a key.
type Group struct {
	perSecond, burst int
	limiters         sync.Map
}

// NewGroup returns a group whose limiters all have the same rate.
func NewGroup(perSecond, burst int) *Group {
	return &Group{perSecond: perSecond, burst: burst}
}

func (g *Group) of(key string) *Limiter {
	if l, ok := g.limiters.Load(key); ok {
		return l.(*Limiter)
	}
	l, _ := g.limiters.LoadOrStore(key, New(g.perSecond, g.burst))
	return l.(*Limiter)
}

// Allow says if an event of a key may happen now.
func (g *Group) Allow(key string) bool {
	return g.of(key).Allow()
}
