// Package usage bills a handler by the time its requests take.
package usage

import (
	"math"
	"net/http"
	"sync/atomic"
	"time"
)

// Meter is a handler that counts the credits another handler uses up.
type Meter struct {
	next http.Handler
	rate float64 // credits per second

	credits atomic.Uint64 // the bits of a float64
	calls   atomic.Int64
}

// Wrap returns a meter for next.
func Wrap(next http.Handler, rate float64) *Meter {
	return &Meter{next: next, rate: rate}
}

type statusWriter struct {
	http.ResponseWriter
	code int
}

func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// ServeHTTP runs the wrapped handler. Requests that fail are free.
func (m *Meter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sw := &statusWriter{ResponseWriter: w, code: http.StatusOK}
	start := time.Now()
	m.next.ServeHTTP(sw, r)
	m.calls.Add(1)
	if sw.code < http.StatusInternalServerError {
		m.charge(time.Since(start))
	}
}

func (m *Meter) charge(d time.Duration) {
	for {
		old := m.credits.Load()
		owed := math.Float64frombits(old)
		owed += d.Seconds() * m.rate
		if m.credits.CompareAndSwap(old, math.Float64bits(owed)) {
			return
		}
	}
}

// Owed returns the credits used in this period.
func (m *Meter) Owed() float64 {
	return math.Float64frombits(m.credits.Load())
}

// Invoice returns the credits used in this period, and begins a new one.
func (m *Meter) Invoice() float64 {
	return math.Float64frombits(m.credits.Swap(0))
}

// Calls returns the number of requests ever served.
func (m *Meter) Calls() int64 { return m.calls.Load() }
