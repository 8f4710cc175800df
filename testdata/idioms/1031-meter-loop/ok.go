// Package meter measures the rate of events as a moving average.
package meter

import (
	"encoding/json"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const interval = 5 * time.Second

// Meter is marked by any goroutine and read by any goroutine.
type Meter struct {
	alpha float64

	unread atomic.Int64
	total  atomic.Int64
	rate   atomic.Uint64 // bits of a float64
	peak   atomic.Uint64 // bits of a float64

	stopOnce sync.Once
	stop     chan struct{}
	done     chan struct{}
}

// New starts a meter that averages over about the given time.
func New(over time.Duration) *Meter {
	m := &Meter{
		alpha: 1 - math.Exp(-interval.Seconds()/over.Seconds()),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	go m.loop()
	return m
}

// Mark counts n events.
func (m *Meter) Mark(n int64) {
	m.unread.Add(n)
	m.total.Add(n)
}

// Rate is the average number of events per second.
func (m *Meter) Rate() float64 { return math.Float64frombits(m.rate.Load()) }

// Peak is the highest rate so far.
func (m *Meter) Peak() float64 { return math.Float64frombits(m.peak.Load()) }

// Total is the number of events since the start.
func (m *Meter) Total() int64 { return m.total.Load() }

func (m *Meter) loop() {
	defer close(m.done)
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-t.C:
			m.tick()
		}
	}
}

func (m *Meter) tick() {
	now := float64(m.unread.Swap(0)) / interval.Seconds()
	old := math.Float64frombits(m.rate.Load())
	next := old + m.alpha*(now-old)
	m.rate.Store(math.Float64bits(next))
	if next > math.Float64frombits(m.peak.Load()) {
		m.peak.Store(math.Float64bits(next))
	}
}

// Stop ends the averaging; the last values stay readable.
func (m *Meter) Stop() {
	m.stopOnce.Do(func() { close(m.stop) })
	<-m.done
}

// ServeHTTP shows the average rate.
func (m *Meter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]float64{"rate": m.Rate()})
}
