package ok

import (
	"sort"
	"sync"
	"time"
)

type ULID string

type Block struct {
	ID         ULID
	MinT, MaxT int64
	refs       sync.WaitGroup
}

func (b *Block) Close() { b.refs.Wait() }

type disk interface {
	// List returns the ids of the blocks in the directory.
	List() []ULID
	Open(id ULID) (*Block, error)
	Remove(id ULID) error
	// Compact writes the parents as one new block.
	Compact(parents []*Block) error
}

// DB handles reads and writes of time series falling into a hashed partition.
type DB struct {
	disk     disk
	duration int64

	// Mutex for the access to the slice of blocks.
	mtx    sync.RWMutex
	blocks []*Block

	// cmtx ensures that compactions and deletions don't run simultaneously.
	// Everything that changes blocks holds it.
	cmtx  sync.Mutex
	stopc chan struct{}
}

func Open(d disk, duration int64) (*DB, error) {
	db := &DB{disk: d, duration: duration, stopc: make(chan struct{})}
	db.cmtx.Lock()
	if err := db.reloadBlocks(); err != nil {
		db.cmtx.Unlock()
		return nil, err
	}
	db.cmtx.Unlock()
	go db.run()
	return db, nil
}

func (db *DB) run() {
	for {
		select {
		case <-time.After(time.Minute):
			db.cmtx.Lock()
			_ = db.reloadBlocks()
			db.cmtx.Unlock()
		case <-db.stopc:
			return
		}
	}
}

// Compact data if possible.
func (db *DB) Compact() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	// cmtx is held: the slice cannot be replaced meanwhile.
	db.mtx.RLock()
	parents := db.blocks
	db.mtx.RUnlock()
	if err := db.disk.Compact(parents); err != nil {
		return err
	}
	return db.reloadBlocks()
}

// reloadBlocks reloads blocks without touching head.
// Callers must hold cmtx.
func (db *DB) reloadBlocks() error {
	db.mtx.RLock()
	old := make(map[ULID]*Block, len(db.blocks))
	for _, b := range db.blocks {
		old[b.ID] = b
	}
	db.mtx.RUnlock()

	var toLoad []*Block
	maxt := int64(0)
	for _, id := range db.disk.List() {
		b, ok := old[id]
		if !ok {
			var err error
			if b, err = db.disk.Open(id); err != nil {
				return err
			}
		}
		toLoad = append(toLoad, b)
		maxt = max(maxt, b.MaxT)
	}
	keep := toLoad[:0]
	for _, b := range toLoad {
		if b.MaxT+db.duration >= maxt {
			keep = append(keep, b)
		}
	}
	sort.Slice(keep, func(i, j int) bool { return keep[i].MinT < keep[j].MinT })

	// Swap new blocks first for subsequently created readers to be seen.
	db.mtx.Lock()
	oldBlocks := db.blocks
	db.blocks = keep
	db.mtx.Unlock()

	for _, b := range keep {
		delete(old, b.ID)
	}
	for _, b := range oldBlocks {
		if _, gone := old[b.ID]; !gone {
			continue
		}
		b.Close()
		if err := db.disk.Remove(b.ID); err != nil {
			return err
		}
	}
	return nil
}

// Query runs fn over the persisted blocks, which stay open until it returns.
func (db *DB) Query(fn func([]*Block)) {
	db.mtx.RLock()
	blocks := db.blocks
	for _, b := range blocks {
		b.refs.Add(1)
	}
	db.mtx.RUnlock()

	fn(blocks)
	for _, b := range blocks {
		b.refs.Done()
	}
}
