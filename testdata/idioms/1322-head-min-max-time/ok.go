package tsdb

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

var errOutOfBounds = errors.New("out of bounds")

// Head handles reads and writes of time series data within a time window.
type Head struct {
	chunkRange       int64
	minTime, maxTime atomic.Int64 // Current min and max of the samples included in the head.
	minValidTime     atomic.Int64 // Mint allowed to be added to the head. It shouldn't be lower than the maxt of the last persisted block.

	mtx    sync.Mutex
	series map[uint64][]sample
}

type sample struct {
	t int64
	v float64
}

// NewHead returns an empty head.
func NewHead(chunkRange int64) *Head {
	h := &Head{chunkRange: chunkRange, series: make(map[uint64][]sample)}
	h.minTime.Store(math.MaxInt64)
	h.maxTime.Store(math.MinInt64)
	h.minValidTime.Store(math.MinInt64)
	return h
}

// MinTime returns the lowest time bound on visible data in the head.
func (h *Head) MinTime() int64 { return h.minTime.Load() }

// MaxTime returns the highest timestamp seen in data of the head.
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

// headAppender collects the samples of one scrape. It belongs to one goroutine.
type headAppender struct {
	head         *Head
	minValidTime int64
	mint, maxt   int64
	refs         []uint64
	samples      []sample
}

// Appender returns a new Appender on the database.
func (h *Head) Appender() *headAppender {
	return &headAppender{
		head:         h,
		minValidTime: h.minValidTime.Load(),
		mint:         math.MaxInt64,
		maxt:         math.MinInt64,
	}
}

// Append adds a sample to the pending ones.
func (a *headAppender) Append(ref uint64, t int64, v float64) error {
	if t < a.minValidTime {
		return errOutOfBounds
	}
	if t < a.mint {
		a.mint = t
	}
	if t > a.maxt {
		a.maxt = t
	}
	a.refs = append(a.refs, ref)
	a.samples = append(a.samples, sample{t, v})
	return nil
}

// Commit stores the pending samples.
func (a *headAppender) Commit() error {
	h := a.head
	h.mtx.Lock()
	for i, ref := range a.refs {
		h.series[ref] = append(h.series[ref], a.samples[i])
	}
	h.mtx.Unlock()
	if len(a.samples) > 0 {
		h.updateMinMaxTime(a.mint, a.maxt)
	}
	a.refs, a.samples = nil, nil
	return nil
}
