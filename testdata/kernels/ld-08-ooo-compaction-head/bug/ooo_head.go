package tsdb

import (
	"errors"
	"math"
	"sort"
	"sync"
)

var ErrNotFound = errors.New("not found")

type (
	SeriesRef          uint64
	ChunkRef           uint64
	ChunkDiskMapperRef uint64
)

type sample struct {
	t int64
	v float64
}

// Meta holds information about one or more chunks.
type Meta struct {
	Ref              ChunkRef
	MinTime, MaxTime int64
}

// ChunkDiskMapper is for writing the Head block chunks to disk
// and access chunks via mmapped files.
type ChunkDiskMapper struct {
	mtx  sync.RWMutex
	seq  ChunkDiskMapperRef
	chks map[ChunkDiskMapperRef][]sample
}

func NewChunkDiskMapper() *ChunkDiskMapper {
	return &ChunkDiskMapper{chks: map[ChunkDiskMapperRef][]sample{}}
}

// WriteChunk writes the chunk to disk. The returned refs are increasing.
func (cdm *ChunkDiskMapper) WriteChunk(chk []sample) ChunkDiskMapperRef {
	cdm.mtx.Lock()
	defer cdm.mtx.Unlock()
	cdm.seq++
	cdm.chks[cdm.seq] = chk
	return cdm.seq
}

func (cdm *ChunkDiskMapper) Chunk(ref ChunkDiskMapperRef) ([]sample, error) {
	cdm.mtx.RLock()
	defer cdm.mtx.RUnlock()
	chk, ok := cdm.chks[ref]
	if !ok {
		return nil, ErrNotFound
	}
	return chk, nil
}

type mmappedChunk struct {
	ref              ChunkDiskMapperRef
	minTime, maxTime int64
}

func (mc *mmappedChunk) OverlapsClosedInterval(mint, maxt int64) bool {
	return mc.minTime <= maxt && mint <= mc.maxTime
}

// memSeries is the in-memory representation of a series. None of its methods
// are goroutine safe and it is the caller's responsibility to lock it.
type memSeries struct {
	sync.Mutex

	ref              SeriesRef
	oooMmappedChunks []*mmappedChunk // Immutable chunks on disk containing OOO samples.
	oooHeadChunk     []sample        // In-memory chunk for OOO samples.
	firstOOOChunkID  int             // HeadOOOChunkID for oooMmappedChunks[0].
}

// insert is like append, except it inserts. Used for OOO samples.
func (s *memSeries) insert(t int64, v float64, cdm *ChunkDiskMapper, oooCapMax int) {
	if len(s.oooHeadChunk) == oooCapMax {
		s.mmapCurrentOOOHeadChunk(cdm)
	}
	s.oooHeadChunk = append(s.oooHeadChunk, sample{t, v})
}

func (s *memSeries) mmapCurrentOOOHeadChunk(cdm *ChunkDiskMapper) {
	if len(s.oooHeadChunk) == 0 {
		// There is no head chunk, so nothing to m-map here.
		return
	}
	chk := s.oooHeadChunk
	sort.Slice(chk, func(i, j int) bool { return chk[i].t < chk[j].t })
	s.oooMmappedChunks = append(s.oooMmappedChunks, &mmappedChunk{
		ref:     cdm.WriteChunk(chk),
		minTime: chk[0].t,
		maxTime: chk[len(chk)-1].t,
	})
	s.oooHeadChunk = nil
}

// truncateOOO removes the m-mapped chunks up to and including minOOOMmapRef.
func (s *memSeries) truncateOOO(minOOOMmapRef ChunkDiskMapperRef) {
	n := 0
	for n < len(s.oooMmappedChunks) && s.oooMmappedChunks[n].ref <= minOOOMmapRef {
		n++
	}
	s.oooMmappedChunks = append([]*mmappedChunk(nil), s.oooMmappedChunks[n:]...)
	s.firstOOOChunkID += n
}

// Head handles reads and writes of time series data within a time window.
type Head struct {
	mtx       sync.RWMutex
	series    map[SeriesRef]*memSeries
	cdm       *ChunkDiskMapper
	oooCapMax int
}

func (h *Head) getByID(ref SeriesRef) *memSeries {
	h.mtx.RLock()
	defer h.mtx.RUnlock()
	return h.series[ref]
}

// Append adds an out-of-order sample. It is called by the scrape loops.
func (h *Head) Append(ref SeriesRef, t int64, v float64) {
	h.mtx.Lock()
	s, ok := h.series[ref]
	if !ok {
		s = &memSeries{ref: ref}
		h.series[ref] = s
	}
	h.mtx.Unlock()

	s.Lock()
	s.insert(t, v, h.cdm, h.oooCapMax)
	s.Unlock()
}

func (h *Head) allSeries() []*memSeries {
	h.mtx.RLock()
	defer h.mtx.RUnlock()
	res := make([]*memSeries, 0, len(h.series))
	for _, s := range h.series {
		res = append(res, s)
	}
	return res
}

func (h *Head) truncateOOO(minOOOMmapRef ChunkDiskMapperRef) {
	for _, s := range h.allSeries() {
		s.Lock()
		s.truncateOOO(minOOOMmapRef)
		s.Unlock()
	}
}

// OOOHeadChunkReader merges the overlapping chunks of a series.
type OOOHeadChunkReader struct {
	head       *Head
	mint, maxt int64
}

func NewOOOHeadChunkReader(head *Head, mint, maxt int64) *OOOHeadChunkReader {
	return &OOOHeadChunkReader{
		head: head,
		mint: mint,
		maxt: maxt,
	}
}

func (cr OOOHeadChunkReader) Samples(sid SeriesRef, meta Meta) ([]sample, error) {
	s := cr.head.getByID(sid)
	// This means that the series has been garbage collected.
	if s == nil {
		return nil, ErrNotFound
	}

	s.Lock()
	defer s.Unlock()
	return s.oooMergedChunks(meta, cr.head.cdm, cr.mint, cr.maxt)
}

// oooMergedChunks returns the samples of the chunks that overlap with the
// requested one. The caller must hold the lock of the series.
func (s *memSeries) oooMergedChunks(meta Meta, cdm *ChunkDiskMapper, mint, maxt int64) ([]sample, error) {
	ix := int(meta.Ref) - s.firstOOOChunkID
	if ix < 0 || ix >= len(s.oooMmappedChunks) {
		return nil, ErrNotFound
	}
	var res []sample
	absoluteMax := s.oooMmappedChunks[ix].maxTime
	for _, c := range s.oooMmappedChunks {
		if !c.OverlapsClosedInterval(mint, maxt) || c.maxTime < meta.MinTime || c.minTime > absoluteMax {
			continue
		}
		chk, err := cdm.Chunk(c.ref)
		if err != nil {
			return nil, err
		}
		res = append(res, chk...)
		absoluteMax = max(absoluteMax, c.maxTime)
	}
	sort.Slice(res, func(i, j int) bool { return res[i].t < res[j].t })
	return res, nil
}

// OOOCompactionHead is the block reader of an out-of-order compaction.
type OOOCompactionHead struct {
	head        *Head
	lastMmapRef ChunkDiskMapperRef
	postings    []SeriesRef
	mint, maxt  int64 // Among all the compactable chunks.
}

// NewOOOCompactionHead does the following:
// 1. M-maps all the in-memory ooo chunks.
// 2. Compute the expected block ranges while iterating through all ooo series and store it.
// 3. Store the list of postings having ooo series.
// So call NewOOOCompactionHead only right before compaction.
func NewOOOCompactionHead(head *Head) *OOOCompactionHead {
	ch := &OOOCompactionHead{head: head, mint: math.MaxInt64, maxt: math.MinInt64}

	// M-map the in-memory chunks and keep track of the last one.
	for _, ms := range head.allSeries() {
		ms.Lock()
		ms.mmapCurrentOOOHeadChunk(head.cdm)
		if n := len(ms.oooMmappedChunks); n > 0 {
			ch.lastMmapRef = max(ch.lastMmapRef, ms.oooMmappedChunks[n-1].ref)
		}
		ms.Unlock()
	}
	for _, ms := range head.allSeries() {
		ms.Lock()
		if len(ms.oooMmappedChunks) > 0 && ms.oooMmappedChunks[0].ref <= ch.lastMmapRef {
			ch.postings = append(ch.postings, ms.ref)
		}
		for _, c := range ms.oooMmappedChunks {
			if c.ref <= ch.lastMmapRef {
				ch.mint = min(ch.mint, c.minTime)
				ch.maxt = max(ch.maxt, c.maxTime)
			}
		}
		ms.Unlock()
	}
	return ch
}

// Series returns the chunks of the series that are to be compacted.
func (ch *OOOCompactionHead) Series(ref SeriesRef) ([]Meta, error) {
	s := ch.head.getByID(ref)
	if s == nil {
		return nil, ErrNotFound
	}
	s.Lock()
	defer s.Unlock()

	var chks []Meta
	for i, c := range s.oooMmappedChunks {
		if c.OverlapsClosedInterval(ch.mint, ch.maxt) && c.ref <= ch.lastMmapRef {
			chks = append(chks, Meta{Ref: ChunkRef(s.firstOOOChunkID + i), MinTime: c.minTime, MaxTime: c.maxTime})
		}
	}
	sort.Slice(chks, func(i, j int) bool { return chks[i].MinTime < chks[j].MinTime })

	// Only return the first of the chunks that overlap with each other, with the
	// times of all of them.
	var res []Meta
	for _, m := range chks {
		if n := len(res); n > 0 && m.MinTime <= res[n-1].MaxTime {
			res[n-1].MaxTime = max(res[n-1].MaxTime, m.MaxTime)
			continue
		}
		res = append(res, m)
	}
	return res, nil
}

func (ch *OOOCompactionHead) Chunks() *OOOHeadChunkReader {
	return NewOOOHeadChunkReader(ch.head, ch.mint, ch.maxt)
}
