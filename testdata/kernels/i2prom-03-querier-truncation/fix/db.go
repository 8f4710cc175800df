// Package fix is a time series database of persisted blocks and a head in
// memory.
package fix

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
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
	minTime            atomic.Int64
	lastTruncationTime atomic.Int64
	truncating         atomic.Bool

	mu       sync.RWMutex
	minValid int64 // of new samples
	samples  map[int64]int

	readMu sync.Mutex
	reads  map[*headQuerier]struct{} // open queriers
}

type headQuerier struct {
	h          *head
	mint, maxt int64
}

func (h *head) querier(mint, maxt int64) *headQuerier {
	q := &headQuerier{h: h, mint: mint, maxt: maxt}
	h.readMu.Lock()
	defer h.readMu.Unlock()
	h.reads[q] = struct{}{}
	return q
}

func (q *headQuerier) close() {
	q.h.readMu.Lock()
	defer q.h.readMu.Unlock()
	delete(q.h.reads, q)
}

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

// waitForReaders waits for the queriers that overlap with [mint, maxt).
func (h *head) waitForReaders(mint, maxt int64) {
	overlaps := func() bool {
		h.readMu.Lock()
		defer h.readMu.Unlock()
		for q := range h.reads {
			if q.mint < maxt && mint <= q.maxt {
				return true
			}
		}
		return false
	}
	for overlaps() {
		time.Sleep(10 * time.Millisecond)
	}
}

// collides tells if an open querier has to be closed because of a truncation,
// and if so, where one of the rest of the head has to begin.
func (h *head) collides(mint, maxt int64) (closeIt, reopen bool, from int64) {
	if !h.truncating.Load() {
		return false, false, 0
	}
	from = h.lastTruncationTime.Load()
	return mint < from, mint < from && maxt >= from, from
}

// truncate removes the samples before mint.
func (h *head) truncate(mint int64) {
	// The time has to be set before the flag.
	h.lastTruncationTime.Store(mint)
	h.truncating.Store(true)
	defer h.truncating.Store(false)

	h.waitForReaders(h.minTime.Load(), mint)
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
	h := &head{minValid: math.MinInt64, samples: make(map[int64]int), reads: make(map[*headQuerier]struct{})}
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
		hq := db.head.querier(mint, maxt)
		// A truncation that starts after this waits for the querier. If
		// there is one already, its block is in the list.
		closeIt, reopen, from := db.head.collides(mint, maxt)
		if closeIt {
			hq.close()
		}
		if reopen {
			hq = db.head.querier(from, maxt)
		}
		if !closeIt || reopen {
			q.parts = append(q.parts, hq)
		}
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
