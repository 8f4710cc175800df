package local

import "sync"

// Sample is a value at a time.
type Sample struct {
	T int64
	V float64
}

// chunkDesc describes a chunk, which may be on disk only. A chunk is evicted
// only while it is not pinned.
type chunkDesc struct {
	firstTime, lastTime int64

	mu       sync.Mutex
	chunk    []Sample // nil if evicted
	refCount int
	evict    bool
}

func (cd *chunkDesc) pin() {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	cd.refCount++
}

func (cd *chunkDesc) unpin() {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	if cd.refCount == 0 {
		panic("cannot unpin already unpinned chunk")
	}
	cd.refCount--
	if cd.refCount == 0 && cd.evict {
		cd.chunk = nil
	}
}

func (cd *chunkDesc) isEvicted() bool {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	return cd.chunk == nil
}

// samples returns the samples of a pinned chunk.
func (cd *chunkDesc) samples() []Sample {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	return cd.chunk
}

// setChunk points an evicted chunkDesc to a loaded chunk.
func (cd *chunkDesc) setChunk(c []Sample) {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	if cd.chunk != nil {
		panic("chunk already set")
	}
	cd.evict = false
	cd.chunk = c
}

// evictOnUnpin evicts the chunk once unpinned, or immediately if it is not
// pinned when this method is called.
func (cd *chunkDesc) evictOnUnpin() {
	cd.mu.Lock()
	defer cd.mu.Unlock()
	if cd.refCount == 0 {
		cd.chunk = nil
	} else if cd.chunk != nil {
		cd.evict = true
	}
}
