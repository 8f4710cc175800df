package tsdb

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

var errOutOfBounds = errors.New("out of bounds")

type sample struct {
	t int64
	v float64
}

type memSeries struct {
	mu      sync.Mutex
	ref     uint64
	samples []sample
}

func (s *memSeries) truncateBefore(mint int64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(s.samples) && s.samples[n].t < mint {
		n++
	}
	s.samples = append(s.samples[:0], s.samples[n:]...)
	return n
}

// isolationState holds the isolation information of an open read.
type isolationState struct {
	mint, maxt int64
	iso        *isolation
}

func (s *isolationState) Close() {
	s.iso.mu.Lock()
	defer s.iso.mu.Unlock()
	delete(s.iso.reads, s)
}

type isolation struct {
	mu    sync.Mutex
	reads map[*isolationState]struct{}
}

func (i *isolation) state(mint, maxt int64) *isolationState {
	i.mu.Lock()
	defer i.mu.Unlock()
	st := &isolationState{mint: mint, maxt: maxt, iso: i}
	i.reads[st] = struct{}{}
	return st
}

// traverseOpenReads iterates through the open reads and runs the given function
// on those states. The iteration ends when the function returns false.
func (i *isolation) traverseOpenReads(f func(s *isolationState) bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for s := range i.reads {
		if !f(s) {
			return
		}
	}
}

// Head handles reads and writes of time series data within a time window.
type Head struct {
	minTime, maxTime atomic.Int64
	minValidTime     atomic.Int64
	truncations      atomic.Int64

	truncateMtx sync.Mutex
	iso         *isolation

	mtx    sync.RWMutex
	series map[uint64]*memSeries
}

func NewHead() *Head {
	h := &Head{
		iso:    &isolation{reads: make(map[*isolationState]struct{})},
		series: make(map[uint64]*memSeries),
	}
	h.minTime.Store(math.MaxInt64)
	h.maxTime.Store(math.MinInt64)
	h.minValidTime.Store(math.MinInt64)
	return h
}

func (h *Head) MinTime() int64 { return h.minTime.Load() }
func (h *Head) MaxTime() int64 { return h.maxTime.Load() }

func (h *Head) initialized() bool {
	return h.MinTime() != math.MaxInt64
}

// initTime initializes the head with the first timestamp.
func (h *Head) initTime(t int64) {
	h.minTime.CompareAndSwap(math.MaxInt64, t)
}

func (h *Head) updateMaxTime(maxt int64) {
	for {
		ht := h.MaxTime()
		if maxt <= ht || h.maxTime.CompareAndSwap(ht, maxt) {
			return
		}
	}
}

// Append adds a sample to the series.
func (h *Head) Append(ref uint64, t int64, v float64) error {
	h.initTime(t)
	h.mtx.Lock()
	s := h.series[ref]
	if s == nil {
		s = &memSeries{ref: ref}
		h.series[ref] = s
	}
	h.mtx.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	if t < h.minValidTime.Load() {
		return errOutOfBounds
	}
	s.samples = append(s.samples, sample{t, v})
	h.updateMaxTime(t)
	return nil
}

// Querier is an open read of the head.
type Querier struct {
	head       *Head
	st         *isolationState
	mint, maxt int64
}

// Querier returns a reader of the head for the range. It reads the part of the
// range that is not in the blocks.
func (h *Head) Querier(mint, maxt int64) *Querier {
	for {
		mint = max(mint, h.MinTime())
		st := h.iso.state(mint, maxt)
		// A truncation may have started before we were registered.
		if h.MinTime() <= mint {
			return &Querier{head: h, st: st, mint: mint, maxt: maxt}
		}
		st.Close()
	}
}

func (q *Querier) Select(ref uint64) []sample {
	q.head.mtx.RLock()
	s := q.head.series[ref]
	q.head.mtx.RUnlock()
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var res []sample
	for _, p := range s.samples {
		if p.t >= q.mint && p.t <= q.maxt {
			res = append(res, p)
		}
	}
	return res
}

func (q *Querier) Close() { q.st.Close() }

// waitForPendingReadersInTimeRange waits for queries overlapping with given
// range to finish querying.
func (h *Head) waitForPendingReadersInTimeRange(mint, maxt int64) {
	maxt-- // Making it inclusive before checking overlaps.
	overlaps := func() bool {
		o := false
		h.iso.traverseOpenReads(func(s *isolationState) bool {
			o = s.mint <= maxt && mint <= s.maxt
			return !o
		})
		return o
	}
	for overlaps() {
		time.Sleep(10 * time.Millisecond)
	}
}

// truncateMemory removes old data before mint from the head.
func (h *Head) truncateMemory(mint int64) error {
	h.truncateMtx.Lock()
	defer h.truncateMtx.Unlock()

	initialized := h.initialized()
	if h.MinTime() >= mint && initialized {
		return nil
	}

	// We wait for pending queries to end that overlap with this truncation.
	if initialized {
		h.waitForPendingReadersInTimeRange(h.MinTime(), mint)
	}

	h.minTime.Store(mint)
	h.minValidTime.Store(mint)

	// Ensure that max time is at least as high as min time.
	for h.MaxTime() < mint {
		h.maxTime.CompareAndSwap(h.MaxTime(), mint)
	}
	h.truncations.Add(1)
	return h.gc(mint)
}

func (h *Head) gc(mint int64) error {
	h.mtx.RLock()
	all := make([]*memSeries, 0, len(h.series))
	for _, s := range h.series {
		all = append(all, s)
	}
	h.mtx.RUnlock()
	for _, s := range all {
		s.truncateBefore(mint)
	}
	return nil
}

// Run truncates the head for every block that was written.
func (h *Head) Run(ctx context.Context, written <-chan int64) error {
	for {
		select {
		case maxt := <-written:
			if err := h.truncateMemory(maxt); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
