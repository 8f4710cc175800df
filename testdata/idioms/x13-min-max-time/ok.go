// Package ok tracks the time range of samples in memory.
package ok

import (
	"math"
	"sync/atomic"
)

// Head holds the most recent samples.
type Head struct {
	minTime, maxTime atomic.Int64
	minValidTime     atomic.Int64
	samples          atomic.Uint64
}

// NewHead returns an empty head.
func NewHead() *Head {
	h := &Head{}
	h.minTime.Store(math.MaxInt64)
	h.maxTime.Store(math.MinInt64)
	h.minValidTime.Store(math.MinInt64)
	return h
}

// MinTime returns the lowest time of a sample.
func (h *Head) MinTime() int64 { return h.minTime.Load() }

// MaxTime returns the highest time of a sample.
func (h *Head) MaxTime() int64 { return h.maxTime.Load() }

func (h *Head) updateMinMaxTime(mint, maxt int64) {
	for {
		lt := h.MinTime()
		if mint >= lt {
			break
		}
		if h.minTime.CompareAndSwap(lt, mint) {
			break
		}
	}
	for {
		ht := h.MaxTime()
		if maxt <= ht {
			break
		}
		if h.maxTime.CompareAndSwap(ht, maxt) {
			break
		}
	}
}

type sample struct {
	t int64
	v float64
}

// Appender collects samples; it belongs to one goroutine.
type Appender struct {
	head       *Head
	mint, maxt int64
	samples    []sample
}

// Appender returns a new batch.
func (h *Head) Appender() *Appender {
	return &Appender{head: h, mint: math.MaxInt64, maxt: math.MinInt64}
}

// Append adds a sample to the batch.
func (a *Appender) Append(t int64, v float64) bool {
	if t < a.head.minValidTime.Load() {
		return false
	}
	a.mint = min(a.mint, t)
	a.maxt = max(a.maxt, t)
	a.samples = append(a.samples, sample{t, v})
	return true
}

// Commit publishes the batch.
func (a *Appender) Commit() {
	a.head.samples.Add(uint64(len(a.samples)))
	a.head.updateMinMaxTime(a.mint, a.maxt)
	a.samples = a.samples[:0]
}
