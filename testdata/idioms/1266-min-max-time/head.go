package tsdb

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

// ErrOutOfBounds is returned if an appended sample is out of the writable time range.
var ErrOutOfBounds = errors.New("out of bounds")

// Head handles reads and writes of time series data within a time window.
type Head struct {
	chunkRange int64

	minTime, maxTime atomic.Int64 // Current min and max of the samples included in the head.
	minValidTime     atomic.Int64 // Mint allowed to be added to the head. It shouldn't be lower than the maxt of the last persisted block.

	mtx    sync.RWMutex
	series map[string][]sample
}

type sample struct {
	t int64
	v float64
}

// NewHead opens the head block.
func NewHead(chunkRange int64) *Head {
	h := &Head{chunkRange: chunkRange, series: map[string][]sample{}}
	h.minTime.Store(math.MaxInt64)
	h.maxTime.Store(math.MinInt64)
	h.minValidTime.Store(math.MinInt64)
	return h
}

// MinTime returns the lowest time bound on visible data in the head.
func (h *Head) MinTime() int64 {
	return h.minTime.Load()
}

// MaxTime returns the highest timestamp seen in data of the head.
func (h *Head) MaxTime() int64 {
	return h.maxTime.Load()
}

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

// OverlapsClosedInterval returns true if the head may hold data in [mint, maxt].
func (h *Head) OverlapsClosedInterval(mint, maxt int64) bool {
	return h.MinTime() <= maxt && mint <= h.MaxTime()
}

// headAppender adds samples as one batch. It belongs to one goroutine.
type headAppender struct {
	head         *Head
	minValidTime int64 // No samples below this timestamp are allowed.
	mint, maxt   int64
	batch        map[string][]sample
}

// Appender returns a new Appender on the database.
func (h *Head) Appender() *headAppender {
	return &headAppender{
		head:         h,
		minValidTime: h.minValidTime.Load(),
		mint:         math.MaxInt64,
		maxt:         math.MinInt64,
		batch:        map[string][]sample{},
	}
}

// Append adds a sample to the batch.
func (a *headAppender) Append(series string, t int64, v float64) error {
	if t < a.minValidTime {
		return ErrOutOfBounds
	}
	a.mint = min(a.mint, t)
	a.maxt = max(a.maxt, t)
	a.batch[series] = append(a.batch[series], sample{t, v})
	return nil
}

// Commit writes the batch to the head. The bounds are widened before the samples
// become visible, so a reader that finds a sample also finds it within the bounds.
func (a *headAppender) Commit() {
	if len(a.batch) == 0 {
		return
	}
	a.head.updateMinMaxTime(a.mint, a.maxt)

	a.head.mtx.Lock()
	defer a.head.mtx.Unlock()
	for name, ss := range a.batch {
		a.head.series[name] = append(a.head.series[name], ss...)
	}
	a.batch = nil
}

// Select returns the samples of a series in [mint, maxt].
func (h *Head) Select(series string, mint, maxt int64) []float64 {
	if !h.OverlapsClosedInterval(mint, maxt) {
		return nil
	}
	h.mtx.RLock()
	defer h.mtx.RUnlock()
	var vs []float64
	for _, s := range h.series[series] {
		if s.t >= mint && s.t <= maxt {
			vs = append(vs, s.v)
		}
	}
	return vs
}
