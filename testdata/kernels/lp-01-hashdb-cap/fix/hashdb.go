package hashdb

import (
	"errors"
	"sync"
)

// Hash identifies a node.
type Hash [32]byte

// Batch collects writes for the persistent store.
type Batch interface {
	Put(key Hash, value []byte)
	ValueSize() int
	Write() error
	Reset()
}

// Store is the persistent store.
type Store interface {
	NewBatch() Batch
	Get(key Hash) ([]byte, error)
}

const idealBatchSize = 100 * 1024

var errNotFound = errors.New("not found")

// Database is an intermediate write layer between the trie data structures and
// the disk database. Writes are accumulated in memory and a couple of tries are
// flushed to disk only periodically, the remainder is garbage collected.
type Database struct {
	diskdb   Store
	children func(blob []byte, onChild func(Hash))

	dirties map[Hash]*cachedNode // Data and references relationships of dirty trie nodes
	oldest  Hash                 // Oldest tracked node, flush-list head
	newest  Hash                 // Newest tracked node, flush-list tail

	flushnodes  uint64
	dirtiesSize int

	lock sync.RWMutex
}

type cachedNode struct {
	node      []byte
	parents   uint32
	flushPrev Hash
	flushNext Hash
}

// New initializes the hash-based node database.
func New(diskdb Store, children func([]byte, func(Hash))) *Database {
	return &Database{diskdb: diskdb, children: children, dirties: make(map[Hash]*cachedNode)}
}

// insert tracks a new node. The lock is held.
func (db *Database) insert(hash Hash, node []byte) {
	if _, ok := db.dirties[hash]; ok {
		return
	}
	entry := &cachedNode{node: node, flushPrev: db.newest}
	db.children(node, func(child Hash) {
		if c := db.dirties[child]; c != nil {
			c.parents++
		}
	})
	db.dirties[hash] = entry
	if db.oldest == (Hash{}) {
		db.oldest, db.newest = hash, hash
	} else {
		db.dirties[db.newest].flushNext, db.newest = hash, hash
	}
	db.dirtiesSize += len(hash) + len(node)
}

// Node retrieves an encoded node from memory or from the persistent store.
func (db *Database) Node(hash Hash) ([]byte, error) {
	db.lock.RLock()
	dirty := db.dirties[hash]
	db.lock.RUnlock()
	if dirty != nil {
		return dirty.node, nil
	}
	enc, err := db.diskdb.Get(hash)
	if err == nil && len(enc) != 0 {
		return enc, nil
	}
	return nil, errNotFound
}

// Dereference removes an existing reference from a root node.
func (db *Database) Dereference(root Hash) {
	db.lock.Lock()
	defer db.lock.Unlock()
	db.dereference(root)
}

func (db *Database) dereference(hash Hash) {
	node, ok := db.dirties[hash]
	if !ok {
		return
	}
	if node.parents > 0 {
		node.parents--
	}
	if node.parents == 0 {
		switch hash {
		case db.oldest:
			db.oldest = node.flushNext
			if node.flushNext != (Hash{}) {
				db.dirties[node.flushNext].flushPrev = Hash{}
			}
		case db.newest:
			db.newest = node.flushPrev
			if node.flushPrev != (Hash{}) {
				db.dirties[node.flushPrev].flushNext = Hash{}
			}
		default:
			db.dirties[node.flushPrev].flushNext = node.flushNext
			db.dirties[node.flushNext].flushPrev = node.flushPrev
		}
		db.children(node.node, func(child Hash) {
			db.dereference(child)
		})
		delete(db.dirties, hash)
		db.dirtiesSize -= len(hash) + len(node.node)
	}
}

// Cap iteratively flushes old but still referenced trie nodes until the total
// memory usage goes below the given threshold.
func (db *Database) Cap(limit int) error {
	db.lock.Lock()
	defer db.lock.Unlock()

	// It is important that outside code doesn't see an inconsistent state
	// (referenced data removed from the memory cache but not yet in persistent
	// storage), data is only uncached when the database write finalizes.
	batch := db.diskdb.NewBatch()

	nodes, size := len(db.dirties), db.dirtiesSize
	oldest := db.oldest
	for size > limit && oldest != (Hash{}) {
		node := db.dirties[oldest]
		batch.Put(oldest, node.node)
		if batch.ValueSize() >= idealBatchSize {
			if err := batch.Write(); err != nil {
				return err
			}
			batch.Reset()
		}
		size -= len(oldest) + len(node.node)
		oldest = node.flushNext
	}
	// Flush out any remainder data from the last batch
	if err := batch.Write(); err != nil {
		return err
	}
	// Write successful, clear out the flushed data
	for db.oldest != oldest {
		node := db.dirties[db.oldest]
		delete(db.dirties, db.oldest)
		db.oldest = node.flushNext
		db.dirtiesSize -= len(oldest) + len(node.node)
	}
	if db.oldest != (Hash{}) {
		db.dirties[db.oldest].flushPrev = Hash{}
	}
	db.flushnodes += uint64(nodes - len(db.dirties))
	return nil
}

// Update inserts the dirty nodes of a new state, children first.
func (db *Database) Update(order []Hash, blobs map[Hash][]byte) {
	db.lock.Lock()
	defer db.lock.Unlock()
	for _, hash := range order {
		db.insert(hash, blobs[hash])
	}
}

// StateRelease is handed to tracers, which call it on their own goroutine once
// they are done with the state.
func StateRelease(db *Database, root Hash) func() {
	return func() { db.Dereference(root) }
}
