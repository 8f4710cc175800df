package tsdb

import (
	"math"
	"sync"
	"sync/atomic"
)

type seriesRef uint64

type sample struct {
	t        int64
	v        float64
	appendID uint64
}

// memSeries is the in-memory representation of a series.
type memSeries struct {
	sync.Mutex

	ref           seriesRef
	samples       []sample
	pendingCommit int // Number of appenders with samples waiting to be committed to this series.
}

// Head handles reads and writes of time series data within a time window.
type Head struct {
	chunkRange int64
	iso        *isolation

	minTime, maxTime atomic.Int64

	seriesMtx sync.Mutex
	series    map[seriesRef]*memSeries
}

func newHead(chunkRange int64) *Head {
	h := &Head{
		chunkRange: chunkRange,
		iso:        newIsolation(),
		series:     map[seriesRef]*memSeries{},
	}
	h.minTime.Store(math.MaxInt64)
	h.maxTime.Store(math.MinInt64)
	return h
}

// getForAppend returns the series, which is protected from
// garbage collection until its samples are committed.
func (h *Head) getForAppend(ref seriesRef) *memSeries {
	h.seriesMtx.Lock()
	defer h.seriesMtx.Unlock()
	s, ok := h.series[ref]
	if !ok {
		s = &memSeries{ref: ref}
		h.series[ref] = s
	}
	s.Lock()
	s.pendingCommit++
	s.Unlock()
	return s
}

func (h *Head) getByID(ref seriesRef) *memSeries {
	h.seriesMtx.Lock()
	defer h.seriesMtx.Unlock()
	return h.series[ref]
}

func (h *Head) updateMinMaxTime(mint, maxt int64) {
	for {
		lt := h.minTime.Load()
		if mint >= lt || h.minTime.CompareAndSwap(lt, mint) {
			break
		}
	}
	for {
		ht := h.maxTime.Load()
		if maxt <= ht || h.maxTime.CompareAndSwap(ht, maxt) {
			break
		}
	}
}

// Appender returns a new Appender on the database.
func (h *Head) Appender() *headAppender {
	return &headAppender{head: h, appendID: h.iso.newAppendID()}
}

type headAppender struct {
	head     *Head
	appendID uint64
	series   []*memSeries
	samples  []sample
}

// Append adds a sample to the batch of the appender.
func (a *headAppender) Append(ref seriesRef, t int64, v float64) {
	a.series = append(a.series, a.head.getForAppend(ref))
	a.samples = append(a.samples, sample{t: t, v: v, appendID: a.appendID})
}

// Commit writes the samples to the head.
func (a *headAppender) Commit() {
	defer a.head.iso.closeAppend(a.appendID)

	for i, s := range a.series {
		smpl := a.samples[i]
		a.head.updateMinMaxTime(smpl.t, smpl.t)
		s.Lock()
		s.samples = append(s.samples, smpl)
		s.pendingCommit--
		s.Unlock()
	}
}

// truncateSelectedSeries removes the given series from the head, if they were not
// written to since the blocks were made. maxt is the maximum time of the head and
// appendIDWatermark is the append ID captured before the upstream block write. Series that
// received samples above it are kept.
func (h *Head) truncateSelectedSeries(refs []seriesRef, maxt int64, appendIDWatermark uint64) {
	h.seriesMtx.Lock()
	defer h.seriesMtx.Unlock()
	for _, ref := range refs {
		s := h.series[ref]
		if s == nil {
			continue
		}
		s.Lock()
		if s.pendingCommit == 0 && s.maxTime() <= maxt && !hasAppendIDAbove(s, appendIDWatermark) {
			delete(h.series, ref)
		}
		s.Unlock()
	}
}

func (s *memSeries) maxTime() int64 {
	maxt := int64(math.MinInt64)
	for _, smpl := range s.samples {
		maxt = max(maxt, smpl.t)
	}
	return maxt
}

// hasAppendIDAbove must be called with s locked.
func hasAppendIDAbove(s *memSeries, watermark uint64) bool {
	for _, smpl := range s.samples {
		if smpl.appendID > watermark {
			return true
		}
	}
	return false
}
