package tsdb

import (
	"sync"
	"time"
)

type (
	seriesRef   uint64
	headChunkID uint64
)

// Meta holds information about a chunk of data.
type Meta struct {
	Series           seriesRef
	ID               headChunkID
	MinTime, MaxTime int64
}

type sample struct {
	t int64
	v float64
}

// memChunk is a chunk of a series; prev is only used for chunks in the headChunks list.
type memChunk struct {
	samples          []sample
	minTime, maxTime int64
	prev             *memChunk // Link to the previous element on the list.
}

// OverlapsClosedInterval returns true if the chunk overlaps [mint, maxt].
func (mc *memChunk) OverlapsClosedInterval(mint, maxt int64) bool {
	return mc.minTime <= maxt && mint <= mc.maxTime
}

func (mc *memChunk) len() (count int) {
	for elem := mc; elem != nil; elem = elem.prev {
		count++
	}
	return count
}

// memSeries is the in-memory representation of a series. None of its methods
// are goroutine safe and it is the caller's responsibility to lock it.
type memSeries struct {
	sync.Mutex

	ref           seriesRef
	mmappedChunks []*memChunk // Immutable chunks on disk that have not yet gone into a block, in order of ascending time stamps.
	headChunks    *memChunk   // Most recent chunks in memory that are still being built or waiting to be mmapped.
	firstChunkID  headChunkID // HeadChunkID for mmappedChunks[0]
}

// Head handles reads and writes of time series data within a time window.
type Head struct {
	samplesPerChunk int

	mtx    sync.RWMutex
	series map[seriesRef]*memSeries
}

func (h *Head) getByID(ref seriesRef) *memSeries {
	h.mtx.RLock()
	defer h.mtx.RUnlock()
	return h.series[ref]
}

func (h *Head) getOrCreate(ref seriesRef) *memSeries {
	h.mtx.Lock()
	defer h.mtx.Unlock()
	s, ok := h.series[ref]
	if !ok {
		s = &memSeries{ref: ref}
		h.series[ref] = s
	}
	return s
}

func (h *Head) all() []*memSeries {
	h.mtx.RLock()
	defer h.mtx.RUnlock()
	all := make([]*memSeries, 0, len(h.series))
	for _, s := range h.series {
		all = append(all, s)
	}
	return all
}

// Append adds a sample to a series.
func (h *Head) Append(ref seriesRef, t int64, v float64) {
	s := h.getOrCreate(ref)
	s.Lock()
	defer s.Unlock()
	c := s.headChunks
	if c == nil || len(c.samples) >= h.samplesPerChunk {
		c = &memChunk{minTime: t, prev: s.headChunks}
		s.headChunks = c
	}
	c.samples = append(c.samples, sample{t, v})
	c.maxTime = t
}

// mmapHeadChunks will iterate all memSeries stored on Head and call mmapChunks() on each of them.
func (h *Head) mmapHeadChunks() {
	for _, s := range h.all() {
		s.Lock()
		s.mmapChunks()
		s.Unlock()
	}
}

// truncateMemory removes old data before mint from the head.
func (h *Head) truncateMemory(mint int64) {
	for _, s := range h.all() {
		s.Lock()
		s.truncateChunksBefore(mint)
		s.Unlock()
	}
}

// run maintains the head until stopc is closed.
func (h *Head) run(retention time.Duration, stopc chan struct{}) {
	mmap := time.NewTicker(time.Minute)
	defer mmap.Stop()
	trunc := time.NewTicker(time.Hour)
	defer trunc.Stop()
	for {
		select {
		case <-mmap.C:
			go h.mmapHeadChunks()
		case now := <-trunc.C:
			h.truncateMemory(now.Add(-retention).UnixMilli())
		case <-stopc:
			return
		}
	}
}

// mmapChunks will m-map all but first chunk on s.headChunks list.
func (s *memSeries) mmapChunks() {
	if s.headChunks == nil || s.headChunks.prev == nil {
		// There is none or only one head chunk, so nothing to m-map here.
		return
	}
	for _, c := range collectHeadChunks(s.headChunks.prev, nil) {
		s.mmappedChunks = append(s.mmappedChunks, &memChunk{samples: c.samples, minTime: c.minTime, maxTime: c.maxTime})
	}

	// Remove the tail of the list, leaving only the most recent head chunk.
	s.headChunks.prev = nil
}

// truncateChunksBefore removes all chunks from the series that
// have no timestamp at or after mint.
// Chunk IDs remain unchanged.
func (s *memSeries) truncateChunksBefore(mint int64) int {
	var removedInOrder int
	if s.headChunks != nil {
		var nextChk *memChunk
		chk := s.headChunks
		for chk != nil {
			if chk.maxTime < mint {
				// If any head chunk is truncated, we can truncate all mmapped chunks.
				removedInOrder = chk.len() + len(s.mmappedChunks)
				s.firstChunkID += headChunkID(removedInOrder)
				if nextChk == nil {
					// This is the first chunk on the list so we need to remove the entire list.
					s.headChunks = nil
				} else {
					// This is NOT the first chunk, unlink it from parent.
					nextChk.prev = nil
				}
				s.mmappedChunks = nil
				break
			}
			nextChk = chk
			chk = chk.prev
		}
	}
	if len(s.mmappedChunks) > 0 {
		for i, c := range s.mmappedChunks {
			if c.maxTime >= mint {
				break
			}
			removedInOrder = i + 1
		}
		s.mmappedChunks = append(s.mmappedChunks[:0], s.mmappedChunks[removedInOrder:]...)
		s.firstChunkID += headChunkID(removedInOrder)
	}
	return removedInOrder
}
