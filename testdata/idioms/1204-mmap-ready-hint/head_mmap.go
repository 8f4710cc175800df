package tsdb

import (
	"sync"
	"sync/atomic"
	"time"
)

type chunkDiskMapper struct {
	mtx  sync.Mutex
	refs int
}

func (m *chunkDiskMapper) WriteChunk(samples []float64) int {
	m.mtx.Lock()
	defer m.mtx.Unlock()
	m.refs++
	return m.refs
}

type memChunk struct {
	samples []float64
	prev    *memChunk // Link to the previous element on the list.
}

// memSeries is the in-memory representation of a series.
type memSeries struct {
	sync.Mutex

	ref            uint64
	headChunks     *memChunk // Most recent chunk on head of the linked list.
	mmappedChunks  []int
	headChunkCount atomic.Uint32 // Written with the lock held, read without.
}

const samplesPerChunk = 120

// append adds the sample to the series. The lock must be held.
func (s *memSeries) append(v float64) (chunkCreated bool) {
	if s.headChunks == nil || len(s.headChunks.samples) == samplesPerChunk {
		s.headChunks = &memChunk{prev: s.headChunks}
		s.headChunkCount.Add(1)
		chunkCreated = true
	}
	s.headChunks.samples = append(s.headChunks.samples, v)
	return chunkCreated
}

// mmapChunks will m-map all but first chunk on s.headChunks list. The lock
// must be held.
func (s *memSeries) mmapChunks(m *chunkDiskMapper) (count int) {
	if s.headChunks == nil || s.headChunks.prev == nil {
		// There is none or only one head chunk, so nothing to m-map here.
		return count
	}
	// Write chunks starting from the oldest one and stop before we get to current s.headChunks.
	var chks []*memChunk
	for c := s.headChunks.prev; c != nil; c = c.prev {
		chks = append(chks, c)
	}
	for i := len(chks) - 1; i >= 0; i-- {
		s.mmappedChunks = append(s.mmappedChunks, m.WriteChunk(chks[i].samples))
		count++
	}

	// Once we've written out all chunks except s.headChunks we need to unlink these from s.headChunk.
	s.headChunks.prev = nil
	s.headChunkCount.Store(1)
	return count
}

type Head struct {
	mtx    sync.RWMutex
	series map[uint64]*memSeries

	chunkDiskMapper *chunkDiskMapper
	mmapped         atomic.Int64
	stopc           chan struct{}
}

func NewHead() *Head {
	h := &Head{
		series:          make(map[uint64]*memSeries),
		chunkDiskMapper: &chunkDiskMapper{},
		stopc:           make(chan struct{}),
	}
	go h.run()
	return h
}

func (h *Head) run() {
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			h.mmapHeadChunks()
		case <-h.stopc:
			return
		}
	}
}

func (h *Head) Append(ref uint64, v float64) bool {
	h.mtx.RLock()
	s := h.series[ref]
	h.mtx.RUnlock()
	if s == nil {
		return false
	}
	s.Lock()
	defer s.Unlock()
	s.append(v)
	return true
}

// mmapHeadChunks will iterate all memSeries stored on Head and call mmapHeadChunks() on each of them.
//
// There are two types of chunks that store samples for each memSeries:
// A) Head chunk - stored on Go heap, when new samples are appended they go there.
// B) M-mapped chunks - memory mapped chunks, kernel manages the memory for us on-demand, these chunks
// are read-only.
func (h *Head) mmapHeadChunks() {
	var count int
	h.mtx.RLock()
	for _, series := range h.series {
		if series.headChunkCount.Load() < 2 { // < 2 means 0 or 1 head chunks, nothing to mmap.
			continue
		}

		series.Lock()
		count += series.mmapChunks(h.chunkDiskMapper)
		series.Unlock()
	}
	h.mtx.RUnlock()
	h.mmapped.Add(int64(count))
}

func (h *Head) Close() { close(h.stopc) }
