package chunkdb

import (
	"sort"
	"sync"
	"time"
)

type chunkRec struct {
	data   []byte
	access uint64
}

// sweepState is the progress of a collection. Whoever has taken the token out
// of runC owns the other fields.
type sweepState struct {
	runC   chan struct{}
	batch  int
	target int
	count  int
	took   time.Duration
}

// ChunkDB is a bounded store of chunks. Put is called by many goroutines.
type ChunkDB struct {
	capacity int
	sweep    sweepState

	lock   sync.RWMutex
	chunks map[string]*chunkRec
	clock  uint64
}

// NewChunkDB returns a store for the given number of chunks.
func NewChunkDB(capacity int) *ChunkDB {
	db := &ChunkDB{capacity: capacity, chunks: make(map[string]*chunkRec)}
	db.sweep.runC = make(chan struct{}, 1)
	db.sweep.batch = max(1, capacity/100)
	db.sweep.runC <- struct{}{}
	return db
}

// Put stores a chunk and collects when the store is full. It never waits for
// a collection that is running already.
func (db *ChunkDB) Put(addr string, data []byte) {
	db.lock.Lock()
	db.clock++
	db.chunks[addr] = &chunkRec{data: data, access: db.clock}
	full := len(db.chunks) > db.capacity
	db.lock.Unlock()
	if full {
		db.collect()
	}
}

// Get returns a chunk or nil.
func (db *ChunkDB) Get(addr string) []byte {
	db.lock.Lock()
	defer db.lock.Unlock()
	r, ok := db.chunks[addr]
	if !ok {
		return nil
	}
	db.clock++
	r.access = db.clock
	return r.data
}

// Len returns the number of chunks.
func (db *ChunkDB) Len() int {
	db.lock.RLock()
	defer db.lock.RUnlock()
	return len(db.chunks)
}

// collect removes the chunks that were not used for the longest time.
func (db *ChunkDB) collect() {
	// prevent a second collection while one is running
	if len(db.sweep.runC) == 0 {
		return
	}
	<-db.sweep.runC

	began := time.Now()
	db.sweep.target = db.capacity - db.capacity/10
	db.sweep.count = 0
	for n := -1; n != 0; {
		n = db.dropOldest(db.sweep.batch, db.sweep.target)
		db.sweep.count += n
	}
	db.sweep.took = time.Since(began)
	db.sweep.runC <- struct{}{}
}

// dropOldest removes up to n chunks as long as there are more than keep.
func (db *ChunkDB) dropOldest(n, keep int) int {
	db.lock.Lock()
	defer db.lock.Unlock()
	addrs := make([]string, 0, len(db.chunks))
	for a := range db.chunks {
		addrs = append(addrs, a)
	}
	sort.Slice(addrs, func(i, j int) bool {
		return db.chunks[addrs[i]].access < db.chunks[addrs[j]].access
	})
	n = max(0, min(n, len(addrs)-keep))
	for _, a := range addrs[:n] {
		delete(db.chunks, a)
	}
	return n
}
