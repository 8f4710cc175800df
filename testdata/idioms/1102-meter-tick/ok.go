// Correct: the rate is read, computed with and written in separate critical
// sections, but only the one goroutine started by NewMeter ever writes it. The
// counts of the other goroutines go through an atomic that is emptied by Swap.

// Package ok measures event rates as moving averages.
package ok

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

const tick = 5 * time.Second

// Rates are events per second over the last 1 and 15 minutes.
type Rates struct {
	M1, M15 float64
}

// Meter counts events.
type Meter struct {
	pending atomic.Int64
	total   atomic.Int64
	stop    chan struct{}
	stopped sync.Once

	mu      sync.RWMutex
	rates   Rates
	started bool
}

// NewMeter starts a meter; Stop ends it.
func NewMeter() *Meter {
	m := &Meter{stop: make(chan struct{})}
	go m.loop()
	return m
}

// Mark records n events.
func (m *Meter) Mark(n int64) {
	m.pending.Add(n)
	m.total.Add(n)
}

// Total is the number of events so far.
func (m *Meter) Total() int64 { return m.total.Load() }

// Rates returns both averages as of the same tick.
func (m *Meter) Rates() Rates {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.rates
}

func (m *Meter) primed() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.started
}

func (m *Meter) set(r Rates) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rates = r
	m.started = true
}

func decay(old, now float64, window time.Duration) float64 {
	alpha := 1 - math.Exp(-tick.Seconds()/window.Seconds())
	return old + alpha*(now-old)
}

func (m *Meter) advance() {
	now := float64(m.pending.Swap(0)) / tick.Seconds()
	if !m.primed() {
		m.set(Rates{M1: now, M15: now})
		return
	}
	r := m.Rates()
	r.M1 = decay(r.M1, now, time.Minute)
	r.M15 = decay(r.M15, now, 15*time.Minute)
	m.set(r)
}

func (m *Meter) loop() {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			m.advance()
		case <-m.stop:
			return
		}
	}
}

// Stop ends the averaging.
func (m *Meter) Stop() {
	m.stopped.Do(func() { close(m.stop) })
}
