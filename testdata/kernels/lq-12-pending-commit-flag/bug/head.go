package tsdb

import (
	"errors"
	"sync"
	"time"
)

var (
	errAppenderClosed = errors.New("appender closed")
	errOutOfOrder     = errors.New("out of order sample")
)

type sample struct {
	t int64
	v float64
}

type refSample struct {
	s *memSeries
	t int64
	v float64
}

type memSeries struct {
	sync.Mutex

	ref           uint64
	lset          string
	samples       []sample
	pendingCommit bool // Whether there are samples waiting to be committed to this series.
}

func (s *memSeries) maxTime() int64 {
	if len(s.samples) == 0 {
		return -1
	}
	return s.samples[len(s.samples)-1].t
}

func (s *memSeries) truncateBefore(mint int64) {
	i := 0
	for i < len(s.samples) && s.samples[i].t < mint {
		i++
	}
	s.samples = s.samples[i:]
}

// stripeSeries holds series by hash of their labels and by reference.
type stripeSeries struct {
	mu     sync.RWMutex
	series map[uint64]*memSeries
	hashes map[string]*memSeries
}

func (s *stripeSeries) getByID(ref uint64) *memSeries {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.series[ref]
}

func (s *stripeSeries) len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.series)
}

type Head struct {
	series  *stripeSeries
	lastRef uint64
	quit    chan struct{}
	wg      sync.WaitGroup

	mintMu sync.Mutex
	mint   int64
}

func NewHead(gcInterval time.Duration) *Head {
	h := &Head{
		series: &stripeSeries{series: map[uint64]*memSeries{}, hashes: map[string]*memSeries{}},
		quit:   make(chan struct{}),
	}
	h.wg.Add(1)
	go h.gcLoop(gcInterval)
	return h
}

// reserve returns the series for the labels with a sample pending, so that the
// garbage collection leaves it alone.
func (h *Head) reserve(lset string) *memSeries {
	h.series.mu.Lock()
	defer h.series.mu.Unlock()
	s := h.series.hashes[lset]
	if s == nil {
		h.lastRef++
		s = &memSeries{ref: h.lastRef, lset: lset}
		h.series.series[s.ref] = s
		h.series.hashes[lset] = s
	}
	s.Lock()
	s.pendingCommit = true
	s.Unlock()
	return s
}

// Truncate sets the time before which samples are removed.
func (h *Head) Truncate(mint int64) {
	h.mintMu.Lock()
	h.mint = mint
	h.mintMu.Unlock()
}

func (h *Head) gcLoop(interval time.Duration) {
	defer h.wg.Done()
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			h.mintMu.Lock()
			mint := h.mint
			h.mintMu.Unlock()
			h.gc(mint)
		case <-h.quit:
			return
		}
	}
}

// gc removes old samples and series that have no samples left.
func (h *Head) gc(mint int64) int {
	h.series.mu.Lock()
	defer h.series.mu.Unlock()
	n := 0
	for ref, s := range h.series.series {
		s.Lock()
		s.truncateBefore(mint)
		if len(s.samples) > 0 || s.pendingCommit {
			s.Unlock()
			continue
		}
		delete(h.series.series, ref)
		delete(h.series.hashes, s.lset)
		s.Unlock()
		n++
	}
	return n
}

// Select returns the samples of a series.
func (h *Head) Select(ref uint64) []sample {
	s := h.series.getByID(ref)
	if s == nil {
		return nil
	}
	s.Lock()
	defer s.Unlock()
	return append([]sample(nil), s.samples...)
}

func (h *Head) Close() {
	close(h.quit)
	h.wg.Wait()
}

// headAppender is used by one goroutine.
type headAppender struct {
	head    *Head
	samples []refSample
	closed  bool
}

func (h *Head) Appender() *headAppender {
	return &headAppender{head: h}
}

// Append adds a sample to be committed later.
func (a *headAppender) Append(lset string, t int64, v float64) (uint64, error) {
	if a.closed {
		return 0, errAppenderClosed
	}
	s := a.head.reserve(lset)
	a.samples = append(a.samples, refSample{s, t, v})
	return s.ref, nil
}

// Commit writes the samples to their series.
func (a *headAppender) Commit() (err error) {
	if a.closed {
		return errAppenderClosed
	}
	a.closed = true
	for _, r := range a.samples {
		r.s.Lock()
		if r.t <= r.s.maxTime() {
			err = errOutOfOrder
		} else {
			r.s.samples = append(r.s.samples, sample{r.t, r.v})
		}
		r.s.pendingCommit = false
		r.s.Unlock()
	}
	return err
}

// Rollback drops the samples.
func (a *headAppender) Rollback() error {
	if a.closed {
		return errAppenderClosed
	}
	a.closed = true
	for _, r := range a.samples {
		r.s.Lock()
		r.s.pendingCommit = false
		r.s.Unlock()
	}
	a.samples = nil
	return nil
}
