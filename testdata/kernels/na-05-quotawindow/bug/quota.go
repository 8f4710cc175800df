// Package quota enforces request quotas of tenants over fixed windows.
package quota

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// ErrExceeded is returned when a tenant has used up its window.
var ErrExceeded = errors.New("quota: exceeded")

// Plan is what a tenant has bought.
type Plan struct {
	Limit  int64
	Window time.Duration
}

type window struct {
	end  time.Time
	used atomic.Int64
}

func (w *window) take(n, limit int64) bool {
	for {
		u := w.used.Load()
		if u+n > limit {
			return false
		}
		if w.used.CompareAndSwap(u, u+n) {
			return true
		}
	}
}

type tenant struct {
	plan Plan
	win  atomic.Pointer[window]
}

func newTenant(p Plan, now time.Time) *tenant {
	t := &tenant{plan: p}
	t.win.Store(openWindow(p, now))
	return t
}

func openWindow(p Plan, now time.Time) *window {
	return &window{end: now.Truncate(p.Window).Add(p.Window)}
}

// current returns the window now falls in, opening it when the last one is over.
func (t *tenant) current(now time.Time) *window {
	w := t.win.Load()
	if now.Before(w.end) {
		return w
	}
	fresh := openWindow(t.plan, now)
	t.win.Store(fresh)
	return fresh
}

// Service looks after all tenants.
type Service struct {
	plans func(tenantID string) (Plan, error)

	mu      sync.RWMutex
	tenants map[string]*tenant
}

// New returns a service that asks plans for tenants it has not seen.
func New(plans func(tenantID string) (Plan, error)) *Service {
	return &Service{plans: plans, tenants: make(map[string]*tenant)}
}

func (s *Service) tenant(id string) (*tenant, error) {
	s.mu.RLock()
	t := s.tenants[id]
	s.mu.RUnlock()
	if t != nil {
		return t, nil
	}
	p, err := s.plans(id)
	if err != nil {
		return nil, fmt.Errorf("quota: plan of %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tenants[id]; t != nil {
		return t, nil
	}
	t = newTenant(p, time.Now())
	s.tenants[id] = t
	return t, nil
}

// Take charges n units to a tenant and returns when its window ends.
func (s *Service) Take(id string, n int64) (time.Time, error) {
	t, err := s.tenant(id)
	if err != nil {
		return time.Time{}, err
	}
	w := t.current(time.Now())
	if !w.take(n, t.plan.Limit) {
		return w.end, ErrExceeded
	}
	return w.end, nil
}

// Middleware charges one unit a request.
func (s *Service) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		end, err := s.Take(r.Header.Get("X-Tenant"), 1)
		switch {
		case errors.Is(err, ErrExceeded):
			rw.Header().Set("Retry-After", strconv.Itoa(int(time.Until(end).Seconds())+1))
			http.Error(rw, "quota exceeded", http.StatusTooManyRequests)
		case err != nil:
			http.Error(rw, "quota unavailable", http.StatusServiceUnavailable)
		default:
			next.ServeHTTP(rw, r)
		}
	})
}
