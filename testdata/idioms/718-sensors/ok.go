// Package sensors aggregates readings in windows.
package sensors

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Stats of one window.
type Stats struct {
	From, To time.Time
	Count    int
	Sum      float64
	Min, Max float64
}

// Mean of the window.
func (s Stats) Mean() float64 {
	if s.Count == 0 {
		return math.NaN()
	}
	return s.Sum / float64(s.Count)
}

type window struct {
	mu     sync.Mutex
	stats  Stats
	sealed bool
}

func newWindow(from time.Time) *window {
	return &window{stats: Stats{From: from, Min: math.Inf(1), Max: math.Inf(-1)}}
}

// add reports whether the window was still open.
func (w *window) add(v float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sealed {
		return false
	}
	w.stats.Count++
	w.stats.Sum += v
	w.stats.Min = min(w.stats.Min, v)
	w.stats.Max = max(w.stats.Max, v)
	return true
}

func (w *window) seal(at time.Time) Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sealed = true
	w.stats.To = at
	return w.stats
}

func (w *window) peek() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}

// Limits are replaced as a whole.
type Limits struct {
	Low, High float64
}

// Sensor is one source.
type Sensor struct {
	Name   string
	cur    atomic.Pointer[window]
	limits atomic.Pointer[Limits]

	accepted atomic.Int64
	rejected atomic.Int64
}

// Hub has all sensors.
type Hub struct {
	mu      sync.RWMutex
	sensors map[string]*Sensor
	limits  Limits

	rotateMu sync.Mutex
}

// NewHub returns a hub which gives new sensors the limits.
func NewHub(limits Limits) *Hub {
	return &Hub{sensors: make(map[string]*Sensor), limits: limits}
}

// Sensor returns the sensor of a name and makes it if needed.
func (h *Hub) Sensor(name string) *Sensor {
	h.mu.RLock()
	s, ok := h.sensors[name]
	h.mu.RUnlock()
	if ok {
		return s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok = h.sensors[name]; ok {
		return s
	}
	s = &Sensor{Name: name}
	l := h.limits
	s.limits.Store(&l)
	s.cur.Store(newWindow(time.Now()))
	h.sensors[name] = s
	return s
}

// SetLimits changes the limits of a sensor.
func (s *Sensor) SetLimits(low, high float64) {
	s.limits.Store(&Limits{Low: low, High: high})
}

// Observe takes a reading.
func (s *Sensor) Observe(v float64) bool {
	l := s.limits.Load()
	if v < l.Low || v > l.High || math.IsNaN(v) {
		s.rejected.Add(1)
		return false
	}
	for {
		w := s.cur.Load()
		if w.add(v) {
			s.accepted.Add(1)
			return true
		}
	}
}

// rotate begins a new window and returns the old one.
func (s *Sensor) rotate(at time.Time) Stats {
	old := s.cur.Swap(newWindow(at))
	return old.seal(at)
}

// Now returns the window so far.
func (s *Sensor) Now() Stats { return s.cur.Load().peek() }

// Quality returns the share of good readings.
func (s *Sensor) Quality() float64 {
	good, bad := s.accepted.Load(), s.rejected.Load()
	if good+bad == 0 {
		return 1
	}
	return float64(good) / float64(good+bad)
}

func (h *Hub) list() []*Sensor {
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := make([]*Sensor, 0, len(h.sensors))
	for _, s := range h.sensors {
		out = append(out, s)
	}
	return out
}

// Rotate ends the window of all sensors and hands the results to fn.
func (h *Hub) Rotate(at time.Time, fn func(name string, st Stats)) {
	h.rotateMu.Lock()
	defer h.rotateMu.Unlock()
	for _, s := range h.list() {
		if st := s.rotate(at); st.Count > 0 {
			fn(s.Name, st)
		}
	}
}

// Run rotates until ctx is done.
func (h *Hub) Run(ctx context.Context, every time.Duration, fn func(name string, st Stats)) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			h.Rotate(time.Now(), fn)
			return
		case at := <-t.C:
			h.Rotate(at, fn)
		}
	}
}
