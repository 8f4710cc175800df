// Package fix limits requests per fixed time window without locks.
package fix

import (
	"sync/atomic"
	"time"
)

// slot is the budget of one window.
type slot struct {
	start int64 // nanoseconds
	used  atomic.Int64
}

// Window admits up to limit units in each period.
type Window struct {
	limit  int64
	period int64
	clock  func() int64
	cur    atomic.Pointer[slot]
}

func NewWindow(limit int64, period time.Duration) *Window {
	w := &Window{
		limit:  limit,
		period: int64(period),
		clock:  func() int64 { return time.Now().UnixNano() },
	}
	w.cur.Store(&slot{start: w.clock()})
	return w
}

// roll returns the slot for now, opening a new one when the period is over.
func (w *Window) roll(now int64) *slot {
	for {
		s := w.cur.Load()
		if now-s.start < w.period {
			return s
		}
		next := &slot{start: now - (now-s.start)%w.period}
		if w.cur.CompareAndSwap(s, next) {
			return next
		}
	}
}

// Take asks for n units of the current window.
func (w *Window) Take(n int64) bool {
	s := w.roll(w.clock())
	for {
		used := s.used.Load()
		if used+n > w.limit {
			return false
		}
		if s.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

// Remaining is the unused part of the current window.
func (w *Window) Remaining() int64 {
	return w.limit - w.roll(w.clock()).used.Load()
}

// Plans holds the windows of the known tenants; it does not change.
type Plans struct {
	windows map[string]*Window
	rest    *Window
}

func NewPlans(limits map[string]int64, other int64, period time.Duration) *Plans {
	p := &Plans{windows: make(map[string]*Window, len(limits)), rest: NewWindow(other, period)}
	for tenant, limit := range limits {
		p.windows[tenant] = NewWindow(limit, period)
	}
	return p
}

// Allow charges one request to tenant.
func (p *Plans) Allow(tenant string) bool {
	if w, ok := p.windows[tenant]; ok {
		return w.Take(1)
	}
	return p.rest.Take(1)
}
