package tsdb

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

// ErrOutOfBounds is returned if a sample is before the head.
var ErrOutOfBounds = errors.New("out of bounds")

type sample struct {
	t int64
	v float64
}

// Head handles reads and writes of time series data within a time window.
type Head struct {
	// The end of the last block on disk, samples before it are not accepted.
	minValidTime int64

	minTime, maxTime atomic.Int64 // Current min and max of the samples included in the head. TODO(bwplotka): Ensure these are properly tracked.

	mtx     sync.RWMutex
	samples []sample
}

// NewHead opens the head block.
func NewHead(minValidTime int64) *Head {
	h := &Head{minValidTime: minValidTime}
	h.minTime.Store(math.MaxInt64)
	h.maxTime.Store(math.MinInt64)
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

// headAppender collects samples for one commit.
type headAppender struct {
	head       *Head
	mint, maxt int64
	samples    []sample
}

// Appender returns a new Appender on the database.
func (h *Head) Appender() *headAppender {
	return &headAppender{head: h, mint: math.MaxInt64, maxt: math.MinInt64}
}

// Append adds a sample to the batch.
func (a *headAppender) Append(t int64, v float64) error {
	if t < a.head.minValidTime {
		return ErrOutOfBounds
	}
	a.mint = min(a.mint, t)
	a.maxt = max(a.maxt, t)
	a.samples = append(a.samples, sample{t, v})
	return nil
}

// Commit makes the batch visible.
func (a *headAppender) Commit() {
	if len(a.samples) == 0 {
		return
	}
	a.head.mtx.Lock()
	a.head.samples = append(a.head.samples, a.samples...)
	a.head.mtx.Unlock()
	a.head.updateMinMaxTime(a.mint, a.maxt)
	a.samples = nil
}

// NumSamples returns how many samples there are.
func (h *Head) NumSamples() int {
	h.mtx.RLock()
	defer h.mtx.RUnlock()
	return len(h.samples)
}
