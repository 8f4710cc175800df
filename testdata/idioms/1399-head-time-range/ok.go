package tsdb

import (
	"math"
	"sync"
	"sync/atomic"
)

type sample struct {
	t int64
	v float64
}

type memSeries struct {
	mu      sync.Mutex
	samples []sample
}

type Head struct {
	minTime atomic.Int64
	maxTime atomic.Int64

	mu     sync.RWMutex
	series map[string]*memSeries
}

func NewHead() *Head {
	h := &Head{series: make(map[string]*memSeries)}
	h.minTime.Store(math.MaxInt64)
	h.maxTime.Store(math.MinInt64)
	return h
}

func (h *Head) MinTime() int64 { return h.minTime.Load() }
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

func (h *Head) getOrCreate(name string) *memSeries {
	h.mu.RLock()
	s, ok := h.series[name]
	h.mu.RUnlock()
	if ok {
		return s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s, ok := h.series[name]; ok {
		return s
	}
	s = new(memSeries)
	h.series[name] = s
	return s
}

// Append adds one batch; the batches of several goroutines may interleave.
func (h *Head) Append(name string, batch []sample) {
	if len(batch) == 0 {
		return
	}
	mint, maxt := int64(math.MaxInt64), int64(math.MinInt64)
	s := h.getOrCreate(name)
	s.mu.Lock()
	for _, x := range batch {
		mint, maxt = min(mint, x.t), max(maxt, x.t)
		s.samples = append(s.samples, x)
	}
	s.mu.Unlock()
	h.updateMinMaxTime(mint, maxt)
}

// OverlapsClosedInterval reports whether the head has samples in the range.
func (h *Head) OverlapsClosedInterval(mint, maxt int64) bool {
	return h.MinTime() <= maxt && mint <= h.MaxTime()
}
