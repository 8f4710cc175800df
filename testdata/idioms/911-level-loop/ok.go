// Package tank watches the fill level of a chemical tank. A loop smooths the
// raw samples; panels and alarms look at the smoothed level.
package tank

import (
	"context"
	"math"
	"sync"
	"time"
)

// Sample is a raw measurement.
type Sample struct {
	At     time.Time
	Litres float64
}

// Level is the smoothed level.
type Level struct {
	At      time.Time
	Litres  float64
	Rate    float64 // litres per second, positive while filling
	Samples int
}

// limits are the levels between which no alarm is raised.
type limits struct {
	low, high float64
}

// Monitor watches one tank. Submit and the read methods may be called by any
// goroutine; Run by one.
type Monitor struct {
	in  chan Sample
	tau float64 // time constant of the smoothing in seconds
	lim limits
	bel func(Level) // rung by the loop

	mu    sync.RWMutex
	level Level // written only by the loop in Run
	alarm bool  // likewise
}

// NewMonitor returns a monitor that rings the bell when the level leaves
// [low, high].
func NewMonitor(tau time.Duration, low, high float64, bell func(Level)) *Monitor {
	return &Monitor{
		in:  make(chan Sample, 16),
		tau: tau.Seconds(),
		lim: limits{low: low, high: high},
		bel: bell,
	}
}

// Submit passes a sample to the loop.
func (m *Monitor) Submit(ctx context.Context, s Sample) error {
	select {
	case m.in <- s:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Level returns the smoothed level.
func (m *Monitor) Level() Level {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.level
}

// Alarm tells whether the level is outside of the limits, and the level.
func (m *Monitor) Alarm() (bool, Level) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.alarm, m.level
}

// Run takes samples until ctx ends. It must not be called twice.
func (m *Monitor) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case s := <-m.in:
			m.take(s)
		}
	}
}

// take works a sample into the level.
func (m *Monitor) take(s Sample) {
	prev, last := m.Alarm()
	if last.Samples > 0 && !s.At.After(last.At) {
		return // late or double
	}
	next := smooth(last, s, m.tau)
	out := next.Litres < m.lim.low || next.Litres > m.lim.high
	m.set(next, out)
	if out && !prev && m.bel != nil {
		m.bel(next)
	}
}

func (m *Monitor) set(l Level, alarm bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.level = l
	m.alarm = alarm
}

// smooth is one step of an exponential filter over samples at uneven times.
func smooth(last Level, s Sample, tau float64) Level {
	if last.Samples == 0 {
		return Level{At: s.At, Litres: s.Litres, Samples: 1}
	}
	dt := s.At.Sub(last.At).Seconds()
	k := 1 - math.Exp(-dt/tau)
	v := last.Litres + k*(s.Litres-last.Litres)
	return Level{
		At:      s.At,
		Litres:  v,
		Rate:    (v - last.Litres) / dt,
		Samples: last.Samples + 1,
	}
}
