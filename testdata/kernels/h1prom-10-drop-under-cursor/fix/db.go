// Package meter stores readings of meters. Readings that come late are kept in
// a backlog in memory and are written to a block of their own now and then.
package meter

import (
	"slices"
	"sync"
)

// Reading is one value of the meter.
type Reading struct {
	At    int64
	Value float64
}

// block is a sorted list of readings that is not changed any more.
type block struct {
	from, to int64
	readings []Reading
}

// DB is safe for concurrent use.
type DB struct {
	backlog backlog

	// cmtx is held by Compact.
	cmtx sync.Mutex

	// mtx guards the list of blocks and what goes with it.
	mtx    sync.RWMutex
	blocks []*block
	low    pieceRef // the pieces up to here are in blocks and may be gone

	reads *readTracker
}

// Open returns an empty database.
func Open() *DB { return &DB{reads: newReadTracker()} }

// Add stores a late reading.
func (db *DB) Add(r Reading) {
	db.backlog.add(r)
}

// Compact writes the backlog to a block. It waits for the cursors that were
// made before, so the caller must not have one.
func (db *DB) Compact() {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()

	pieces := db.backlog.sealAll()
	if len(pieces) == 0 {
		return
	}
	b := newBlock(pieces)

	// New cursors have the block and none of its pieces. Those that have the
	// pieces must be closed before the backlog forgets them.
	last := pieces[len(pieces)-1].ref
	db.mtx.Lock()
	db.blocks = append(slices.Clone(db.blocks), b)
	db.low = last
	db.mtx.Unlock()

	db.reads.waitBelow(last)
	db.backlog.drop(last)
}

func newBlock(pieces []*piece) *block {
	b := &block{from: pieces[0].from, to: pieces[0].to}
	for _, p := range pieces {
		b.from, b.to = min(b.from, p.from), max(b.to, p.to)
		b.readings = append(b.readings, p.readings...)
	}
	slices.SortStableFunc(b.readings, byTime)
	return b
}

func byTime(a, b Reading) int {
	switch {
	case a.At < b.At:
		return -1
	case a.At > b.At:
		return 1
	}
	return 0
}

// Query returns a cursor for the readings of a range. It has to be closed.
func (db *DB) Query(from, to int64) *Cursor {
	c := &Cursor{db: db, from: from, to: to}
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	for _, b := range db.blocks {
		if b.from <= to && b.to >= from {
			c.blocks = append(c.blocks, b)
		}
	}
	c.low = db.low
	db.reads.begin(c.low)
	c.pieces, c.rest = db.backlog.find(c.low, from, to)
	return c
}

// Cursor reads the readings that there were when it was made. It is used by
// one goroutine.
type Cursor struct {
	db       *DB
	from, to int64
	blocks   []*block
	low      pieceRef // pieces are above
	pieces   []pieceRef
	rest     []Reading
	closed   bool
}

// All returns the readings in order of time, one for each time.
func (c *Cursor) All() ([]Reading, error) {
	var out []Reading
	for _, b := range c.blocks {
		out = inRange(out, b.readings, c.from, c.to)
	}
	for _, ref := range c.pieces {
		rs, err := c.db.backlog.load(ref, c.from, c.to)
		if err != nil {
			return nil, err
		}
		out = append(out, rs...)
	}
	out = append(out, c.rest...)
	slices.SortStableFunc(out, byTime)
	return slices.CompactFunc(out, func(a, b Reading) bool { return a.At == b.At }), nil
}

// Close ends the cursor.
func (c *Cursor) Close() {
	if c.closed {
		return
	}
	c.closed = true
	c.db.reads.end(c.low)
	c.blocks, c.pieces, c.rest = nil, nil, nil
}

// Blocks returns the number of blocks.
func (db *DB) Blocks() int {
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	return len(db.blocks)
}
