package headbounds

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

var (
	errTooOld     = errors.New("sample is too old")
	errOutOfOrder = errors.New("out of order sample")
)

type point struct {
	t int64
	v float64
}

type memSeries struct {
	mu     sync.Mutex
	lastT  int64
	points []point
}

// Head collects recent samples of many series.
type Head struct {
	window int64

	// The bounds only ever widen.
	minT atomic.Int64
	maxT atomic.Int64

	mu     sync.RWMutex
	series map[string]*memSeries
}

// NewHead returns an empty head.
func NewHead(window int64) *Head {
	h := &Head{window: window, series: make(map[string]*memSeries)}
	h.minT.Store(math.MaxInt64)
	h.maxT.Store(math.MinInt64)
	return h
}

func (h *Head) widen(lo, hi int64) {
	for {
		cur := h.minT.Load()
		if lo >= cur {
			break
		}
		if h.minT.CompareAndSwap(cur, lo) {
			break
		}
	}
	for {
		cur := h.maxT.Load()
		if hi <= cur {
			break
		}
		if h.maxT.CompareAndSwap(cur, hi) {
			break
		}
	}
}

func (h *Head) lowestAppendable() int64 {
	hi := h.maxT.Load()
	if hi < math.MinInt64+h.window {
		return math.MinInt64
	}
	return hi - h.window
}

func (h *Head) getOrCreate(name string) *memSeries {
	h.mu.RLock()
	s := h.series[name]
	h.mu.RUnlock()
	if s != nil {
		return s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.series[name]; s != nil {
		return s
	}
	s = &memSeries{lastT: math.MinInt64}
	h.series[name] = s
	return s
}

// Batch is an appender used by one scrape loop.
type Batch struct {
	head   *Head
	floor  int64
	lo, hi int64
}

// Batch starts a batch. Its floor is fixed when it starts.
func (h *Head) Batch() *Batch {
	return &Batch{head: h, floor: h.lowestAppendable(), lo: math.MaxInt64, hi: math.MinInt64}
}

// Append adds a sample.
func (b *Batch) Append(name string, t int64, v float64) error {
	if t < b.floor {
		return errTooOld
	}
	s := b.head.getOrCreate(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if t <= s.lastT {
		return errOutOfOrder
	}
	s.lastT = t
	s.points = append(s.points, point{t: t, v: v})
	b.lo, b.hi = min(b.lo, t), max(b.hi, t)
	return nil
}

// Commit publishes the bounds of the batch.
func (b *Batch) Commit() {
	if b.lo <= b.hi {
		b.head.widen(b.lo, b.hi)
	}
}

// Ingest appends the batches of several targets at once.
func (h *Head) Ingest(targets map[string][]point) {
	var wg sync.WaitGroup
	for name, pts := range targets {
		wg.Go(func() {
			b := h.Batch()
			for _, p := range pts {
				_ = b.Append(name, p.t, p.v)
			}
			b.Commit()
		})
	}
	wg.Wait()
}

// Covers reports whether t lies within the samples seen so far.
func (h *Head) Covers(t int64) bool {
	return t >= h.minT.Load() && t <= h.maxT.Load()
}
