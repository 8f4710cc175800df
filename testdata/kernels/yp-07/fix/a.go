package a

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Window counts the requests of the current interval.
type Window struct {
	sync.Mutex
	total  int
	failed int
	opened time.Time
}

func NewWindow() *Window { return &Window{opened: time.Now()} }

func (w *Window) Observe(status int) {
	w.Lock()
	defer w.Unlock()
	w.total++
	if status >= 500 {
		w.failed++
	}
}

func (w *Window) counts() (total, failed int) {
	w.Lock()
	defer w.Unlock()
	return w.total, w.failed
}

// Rotate starts a new interval.
func (w *Window) Rotate(now time.Time) {
	w.Lock()
	defer w.Unlock()
	w.total, w.failed = 0, 0
	w.opened = now
}

// SuccessRate is the share of requests in the interval that went well.
func (w *Window) SuccessRate() float64 {
	total, failed := w.counts()
	if total == 0 {
		return 1
	}
	return float64(total-failed) / float64(total)
}

// Monitor owns the windows of all routes and pages when one goes bad.
type Monitor struct {
	target float64
	page   func(route string, rate float64)

	mu      sync.RWMutex
	windows map[string]*Window
}

func NewMonitor(target float64, page func(string, float64)) *Monitor {
	return &Monitor{target: target, page: page, windows: make(map[string]*Window)}
}

func (m *Monitor) window(route string) *Window {
	m.mu.RLock()
	w, ok := m.windows[route]
	m.mu.RUnlock()
	if ok {
		return w
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if w, ok := m.windows[route]; ok {
		return w
	}
	w = NewWindow()
	m.windows[route] = w
	return w
}

func (m *Monitor) each(fn func(route string, w *Window)) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for route, w := range m.windows {
		fn(route, w)
	}
}

func (m *Monitor) check() {
	m.each(func(route string, w *Window) {
		if rate := w.SuccessRate(); rate < m.target {
			m.page(route, rate)
		}
	})
}

type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(code int) {
	r.status = code
	r.ResponseWriter.WriteHeader(code)
}

// Wrap counts the responses of a handler.
func (m *Monitor) Wrap(route string, h http.Handler) http.Handler {
	w := m.window(route)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: rw, status: http.StatusOK}
		h.ServeHTTP(rec, r)
		w.Observe(rec.status)
	})
}

func (m *Monitor) ServeHTTP(rw http.ResponseWriter, _ *http.Request) {
	m.each(func(route string, w *Window) {
		fmt.Fprintf(rw, "success_rate{route=%q} %.4f\n", route, w.SuccessRate())
	})
}

// Run rotates the windows every minute and checks them every five seconds.
func (m *Monitor) Run(ctx context.Context) {
	go m.every(ctx, 5*time.Second, func(time.Time) { m.check() })
	m.every(ctx, time.Minute, func(now time.Time) {
		m.each(func(_ string, w *Window) { w.Rotate(now) })
	})
}

func (m *Monitor) every(ctx context.Context, d time.Duration, fn func(time.Time)) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			fn(now)
		}
	}
}
