// Package inflight bounds how many requests of one tenant run at a time.
package inflight

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// slot counts the running requests of one tenant.
type slot struct {
	mu       sync.Mutex
	busy     int
	refused  int
	lastUsed time.Time
	retired  bool // no longer the slot of its tenant
}

// enter takes a place unless max are taken. A retired slot has no places.
func (s *slot) enter(max int, now time.Time) (ok, retired bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retired {
		return false, true
	}
	s.lastUsed = now
	if s.busy >= max {
		s.refused++
		return false, false
	}
	s.busy++
	return true, false
}

// leave gives a place back.
func (s *slot) leave(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	s.lastUsed = now
}

// retire closes the slot if nothing runs and nothing has run since t. It
// reports whether the slot is closed.
func (s *slot) retire(t time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy == 0 && s.lastUsed.Before(t) {
		s.retired = true
	}
	return s.retired
}

// Limiter bounds the running requests of every tenant. It is safe for
// concurrent use.
type Limiter struct {
	max   int
	keep  time.Duration
	slots sync.Map // tenant -> *slot
}

// New returns a Limiter that admits max requests per tenant and forgets a
// tenant that was away for keep.
func New(max int, keep time.Duration) *Limiter {
	return &Limiter{max: max, keep: keep}
}

// slot returns the slot of tenant.
func (l *Limiter) slot(tenant string) *slot {
	if v, ok := l.slots.Load(tenant); ok {
		return v.(*slot)
	}
	v, _ := l.slots.LoadOrStore(tenant, &slot{lastUsed: time.Now()})
	return v.(*slot)
}

// Acquire admits a request of tenant. The release function must be called when
// the request has ended; it is nil if the request is refused.
func (l *Limiter) Acquire(tenant string) (release func(), ok bool) {
	for {
		s := l.slot(tenant)
		ok, retired := s.enter(l.max, time.Now())
		if retired {
			l.slots.CompareAndDelete(tenant, s)
			continue
		}
		if !ok {
			return nil, false
		}
		return sync.OnceFunc(func() { s.leave(time.Now()) }), true
	}
}

// sweep forgets the tenants that were away.
func (l *Limiter) sweep(now time.Time) {
	limit := now.Add(-l.keep)
	l.slots.Range(func(key, v any) bool {
		if v.(*slot).retire(limit) {
			l.slots.CompareAndDelete(key, v)
		}
		return true
	})
}

// Run forgets idle tenants until ctx ends.
func (l *Limiter) Run(ctx context.Context) {
	t := time.NewTicker(l.keep)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			l.sweep(now)
		}
	}
}

// Usage returns the running and the refused requests of tenant.
func (l *Limiter) Usage(tenant string) (busy, refused int) {
	v, ok := l.slots.Load(tenant)
	if !ok {
		return 0, 0
	}
	s := v.(*slot)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy, s.refused
}

// Middleware refuses the requests beyond the bound.
func (l *Limiter) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		release, ok := l.Acquire(r.Header.Get("X-Tenant"))
		if !ok {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		defer release()
		next.ServeHTTP(w, r)
	})
}
