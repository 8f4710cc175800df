// Package latency keeps the request latency gauges of the exporter.
package latency

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"sync/atomic"
	"time"
)

const defaultAlpha = 0.1

// Meter tracks a smoothed latency, the worst latency seen and the number
// of requests that are being served. It may be used by many goroutines.
type Meter struct {
	name  string
	alpha float64

	inflight atomic.Int64
	worst    atomic.Int64  // nanoseconds
	smoothed atomic.Uint64 // float64 bits, seconds; zero until the first sample
}

// NewMeter returns a meter that reports under name. An alpha outside
// (0, 1] selects the default weight.
func NewMeter(name string, alpha float64) *Meter {
	if !(alpha > 0 && alpha <= 1) {
		alpha = defaultAlpha
	}
	return &Meter{name: name, alpha: alpha}
}

// Observe records one request that took d.
func (m *Meter) Observe(d time.Duration) {
	m.observeWorst(d)
	m.smooth(d.Seconds())
}

func (m *Meter) observeWorst(d time.Duration) {
	for {
		cur := m.worst.Load()
		if int64(d) <= cur {
			return
		}
		if m.worst.CompareAndSwap(cur, int64(d)) {
			return
		}
	}
}

func (m *Meter) smooth(sample float64) {
	for {
		old := m.smoothed.Load()
		next := sample
		if old != 0 {
			prev := math.Float64frombits(old)
			next = prev + m.alpha*(sample-prev)
		}
		if m.smoothed.CompareAndSwap(old, math.Float64bits(next)) {
			return
		}
	}
}

// Smoothed returns the weighted average in seconds.
func (m *Meter) Smoothed() float64 {
	return math.Float64frombits(m.smoothed.Load())
}

// Worst returns the longest request so far.
func (m *Meter) Worst() time.Duration {
	return time.Duration(m.worst.Load())
}

// Wrap measures every request that next serves.
func (m *Meter) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.inflight.Add(1)
		start := time.Now()
		defer func() {
			m.inflight.Add(-1)
			m.Observe(time.Since(start))
		}()
		next.ServeHTTP(w, r)
	})
}

// WriteTo writes the gauges in the text exposition format.
func (m *Meter) WriteTo(w io.Writer) (int64, error) {
	n, err := fmt.Fprintf(w,
		"%[1]s_inflight %[2]d\n%[1]s_latency_seconds %[3]g\n%[1]s_latency_worst_seconds %[4]g\n",
		m.name, m.inflight.Load(), m.Smoothed(), m.Worst().Seconds())
	return int64(n), err
}
