// Package bug is a time series database of persisted blocks and a head in
// memory.
package bug

import (
	"math"
	"sync"
	"sync/atomic"
)

// querier reads samples, here only their number by time.
type querier interface {
	sel(into map[int64]int)
	close()
}

// block holds the samples in [mint, maxt). It does not change.
type block struct {
	mint, maxt int64
	samples    map[int64]int
}

type blockQuerier struct {
	b          *block
	mint, maxt int64
}

func (q *blockQuerier) close() {}

func (q *blockQuerier) sel(into map[int64]int) {
	for t, n := range q.b.samples {
		if q.mint <= t && t <= q.maxt {
			into[t] = n
		}
	}
}

// head holds the newest samples.
type head struct {
	minTime atomic.Int64

	mu       sync.RWMutex
	minValid int64 // of new samples
	samples  map[int64]int
}

type headQuerier struct {
	h          *head
	mint, maxt int64
}

func (h *head) querier(mint, maxt int64) *headQuerier {
	return &headQuerier{h: h, mint: mint, maxt: maxt}
}

func (q *headQuerier) close() {}

func (q *headQuerier) sel(into map[int64]int) {
	q.h.mu.RLock()
	defer q.h.mu.RUnlock()
	for t, n := range q.h.samples {
		if q.mint <= t && t <= q.maxt {
			into[t] = n
		}
	}
}

// snapshot returns the samples before maxt, to which none are added any more, as
// a block.
func (h *head) snapshot(maxt int64) *block {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.minValid = maxt
	b := &block{mint: h.minTime.Load(), maxt: maxt, samples: make(map[int64]int)}
	for t, n := range h.samples {
		if t < maxt {
			b.samples[t] = n
		}
	}
	return b
}

// truncate removes the samples before mint.
func (h *head) truncate(mint int64) {
	h.minTime.Store(mint)
	h.mu.Lock()
	defer h.mu.Unlock()
	for t := range h.samples {
		if t < mint {
			delete(h.samples, t)
		}
	}
}

// DB is safe for concurrent use.
type DB struct {
	head *head
	cmtx sync.Mutex // serializes compactions

	mtx    sync.RWMutex
	blocks []*block
}

// Open returns an empty database.
func Open() *DB {
	h := &head{minValid: math.MinInt64, samples: make(map[int64]int)}
	h.minTime.Store(math.MinInt64)
	return &DB{head: h}
}

// Append adds a sample. It returns false if the sample is too old.
func (db *DB) Append(t int64) bool {
	db.head.mu.Lock()
	defer db.head.mu.Unlock()
	if t < db.head.minValid {
		return false
	}
	db.head.samples[t]++
	return true
}

// Compact moves the samples before maxt from the head to a block.
func (db *DB) Compact(maxt int64) {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	if maxt <= db.head.minTime.Load() {
		return
	}
	b := db.head.snapshot(maxt)

	db.mtx.Lock()
	db.blocks = append(db.blocks, b)
	db.mtx.Unlock()

	db.head.truncate(maxt)
}

// Querier reads the samples in [mint, maxt]. It must be closed.
type Querier struct{ parts []querier }

// Querier returns a querier of the blocks and the head.
func (db *DB) Querier(mint, maxt int64) *Querier {
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	q := new(Querier)
	for _, b := range db.blocks {
		if b.mint <= maxt && mint < b.maxt {
			q.parts = append(q.parts, &blockQuerier{b, mint, maxt})
		}
	}
	if maxt >= db.head.minTime.Load() {
		q.parts = append(q.parts, db.head.querier(mint, maxt))
	}
	return q
}

// Select returns the numbers of samples by time.
func (q *Querier) Select() map[int64]int {
	res := make(map[int64]int)
	for _, p := range q.parts {
		p.sel(res)
	}
	return res
}

// Close releases the querier.
func (q *Querier) Close() {
	for _, p := range q.parts {
		p.close()
	}
}
