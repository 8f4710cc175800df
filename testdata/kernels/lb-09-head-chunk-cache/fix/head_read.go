package tsdb

import (
	"errors"
	"slices"
)

var errNotFound = errors.New("not found")

// Chunks returns a ChunkReader against the block.
func (h *Head) Chunks(mint, maxt int64, rangeQuery bool) *headChunkReader {
	return &headChunkReader{
		head:        h,
		mint:        mint,
		maxt:        maxt,
		enableCache: rangeQuery,
	}
}

// Series returns the chunk metas of a series which overlap the given range.
func (h *Head) Series(ref seriesRef, mint, maxt int64) ([]Meta, error) {
	s := h.getByID(ref)
	if s == nil {
		return nil, errNotFound
	}
	s.Lock()
	defer s.Unlock()

	var chks []Meta
	for i, c := range s.mmappedChunks {
		if c.OverlapsClosedInterval(mint, maxt) {
			chks = append(chks, Meta{Series: ref, ID: s.headChunkID(i), MinTime: c.minTime, MaxTime: c.maxTime})
		}
	}
	for i, c := range collectHeadChunks(s.headChunks, nil) {
		if c.OverlapsClosedInterval(mint, maxt) {
			chks = append(chks, Meta{Series: ref, ID: s.headChunkID(len(s.mmappedChunks) + i), MinTime: c.minTime, MaxTime: c.maxTime})
		}
	}
	return chks, nil
}

// headChunkID returns the HeadChunkID referred to by the given position.
// * 0 <= pos < len(s.mmappedChunks) refer to s.mmappedChunks[pos]
// * pos >= len(s.mmappedChunks) refers to s.headChunks linked list.
func (s *memSeries) headChunkID(pos int) headChunkID {
	return headChunkID(pos) + s.firstChunkID
}

// headChunkReader provides chunk reading for the head block.
// Not safe for concurrent use from multiple goroutines.
type headChunkReader struct {
	head       *Head
	mint, maxt int64
	// When true, enables the head-chunks cache. Range queries benefit from
	// caching because they look up every chunk of a series; instant queries
	// only need one chunk per series, so the cache is wasted overhead.
	enableCache bool
	// Cache for head chunks — avoids O(n²) linked-list walks when
	// iterating all chunks of a series oldest-to-newest.
	cachedSeriesRef      seriesRef
	cachedHeadChunks     []*memChunk
	cachedHeadChunksHead *memChunk   // Head pointer at collection time; detects head-chunk replacement.
	cachedMmapLen        int         // len(s.mmappedChunks) at collection time; detects mmap events.
	cachedFirstChunkID   headChunkID // s.firstChunkID at collection time; detects truncation.
}

// getOrCollectHeadChunks returns the cached head-chunk slice for s, collecting
// it first if the cache does not match the series' current chunk layout.
// The series lock must be held; the fingerprint comparison is only consistent
// against concurrent appends, mmapping, and truncation under that lock.
func (h *headChunkReader) getOrCollectHeadChunks(s *memSeries) []*memChunk {
	// Skip if the cache is disabled (instant queries) or there are no head chunks or there's only one.
	if !h.enableCache || s.headChunks == nil || s.headChunks.prev == nil {
		return nil
	}

	if s.ref == h.cachedSeriesRef && s.headChunks == h.cachedHeadChunksHead &&
		h.cachedMmapLen == len(s.mmappedChunks) && h.cachedFirstChunkID == s.firstChunkID {
		return h.cachedHeadChunks
	}

	var buf []*memChunk
	if h.cachedHeadChunks != nil {
		buf = h.cachedHeadChunks[:0]
	}
	h.cachedHeadChunks = collectHeadChunks(s.headChunks, buf)
	// Allow GC of *memChunk pointers left over from a previous, longer collection.
	clear(h.cachedHeadChunks[len(h.cachedHeadChunks):cap(h.cachedHeadChunks)])
	h.cachedSeriesRef = s.ref
	h.cachedHeadChunksHead = s.headChunks
	h.cachedMmapLen = len(s.mmappedChunks)
	h.cachedFirstChunkID = s.firstChunkID
	return h.cachedHeadChunks
}

// Chunk returns a copy of the samples of the chunk for the reference number.
func (h *headChunkReader) Chunk(meta Meta) ([]sample, error) {
	s := h.head.getByID(meta.Series)
	// This means that the series has been garbage collected.
	if s == nil {
		return nil, errNotFound
	}

	s.Lock()
	defer s.Unlock()
	c, err := s.chunk(meta.ID, h.getOrCollectHeadChunks(s))
	if err != nil {
		return nil, err
	}

	// This means that the chunk is outside the specified range.
	if !c.OverlapsClosedInterval(h.mint, h.maxt) {
		return nil, errNotFound
	}
	return slices.Clone(c.samples), nil
}

// chunk returns the chunk for the HeadChunkID from memory.
func (s *memSeries) chunk(id headChunkID, headChunks []*memChunk) (*memChunk, error) {
	// ix represents the index of chunk in the s.mmappedChunks slice. The chunk id's are
	// incremented by 1 when new chunk is created, hence (id - firstChunkID) gives the slice index.
	// The max index for the s.mmappedChunks slice can be len(s.mmappedChunks)-1, hence if the ix
	// is >= len(s.mmappedChunks), it represents one of the chunks on s.headChunks linked list.
	// The order of elements is different for slice and linked list.
	// For s.mmappedChunks slice newer chunks are appended to it.
	// For s.headChunks list newer chunks are prepended to it.
	//
	// memSeries {
	//   mmappedChunks: [t0, t1, t2]
	//   headChunk:     {t5}->{t4}->{t3}
	// }
	ix := int(id) - int(s.firstChunkID)
	if ix < 0 {
		return nil, errNotFound
	}
	if ix < len(s.mmappedChunks) {
		return s.mmappedChunks[ix], nil
	}

	ix -= len(s.mmappedChunks)
	if headChunks == nil {
		headChunks = collectHeadChunks(s.headChunks, nil)
	}
	if ix >= len(headChunks) {
		return nil, errNotFound
	}
	return headChunks[ix], nil
}

func collectHeadChunks(head *memChunk, buf []*memChunk) []*memChunk {
	hc := buf
	for elem := head; elem != nil; elem = elem.prev {
		hc = append(hc, elem)
	}
	slices.Reverse(hc)
	return hc
}
