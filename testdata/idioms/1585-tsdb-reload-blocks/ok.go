package a

import (
	"sort"
	"sync"
)

// Block is an immutable block on disk.
type Block struct {
	ulid       string
	mint, maxt int64

	pendingReaders sync.WaitGroup
}

// Close waits for the readers of the block.
func (b *Block) Close() error {
	b.pendingReaders.Wait()
	return nil
}

// DB handles reads and writes of time series falling into a hashed partition.
type DB struct {
	dir func() ([]string, error)

	// Mutex for that must be held when modifying the general block layout.
	mtx    sync.RWMutex
	blocks []*Block

	// cmtx ensures that compactions and deletions don't run simultaneously.
	cmtx sync.Mutex

	compactc chan struct{}
	stopc    chan struct{}
}

// Blocks returns the databases persisted blocks.
func (db *DB) Blocks() []*Block {
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	return db.blocks
}

// Querier returns the blocks of the time range and a function to release them.
func (db *DB) Querier(mint, maxt int64) ([]*Block, func()) {
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	var blocks []*Block
	for _, b := range db.blocks {
		if b.maxt >= mint && b.mint <= maxt {
			b.pendingReaders.Add(1)
			blocks = append(blocks, b)
		}
	}
	return blocks, func() {
		for _, b := range blocks {
			b.pendingReaders.Done()
		}
	}
}

func (db *DB) run() {
	for {
		select {
		case <-db.compactc:
			if err := db.Compact(); err != nil {
				return
			}
		case <-db.stopc:
			return
		}
	}
}

// Compact data if possible and reloads the blocks.
func (db *DB) Compact() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	return db.reloadBlocks()
}

// CleanTombstones rewrites the blocks that have tombstones.
func (db *DB) CleanTombstones() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	for range db.Blocks() {
		if err := db.reloadBlocks(); err != nil {
			return err
		}
	}
	return nil
}

// reloadBlocks reloads blocks without touching head.
// Note that the blocks have to be reloaded with cmtx locked.
func (db *DB) reloadBlocks() error {
	db.mtx.RLock()
	loaded := make(map[string]*Block, len(db.blocks))
	for _, b := range db.blocks {
		loaded[b.ulid] = b
	}
	db.mtx.RUnlock()

	ids, err := db.dir()
	if err != nil {
		return err
	}
	var toLoad []*Block
	for _, id := range ids {
		b, ok := loaded[id]
		if !ok {
			b = &Block{ulid: id}
		}
		delete(loaded, id)
		toLoad = append(toLoad, b)
	}
	sort.Slice(toLoad, func(i, j int) bool { return toLoad[i].mint < toLoad[j].mint })

	// Swap new blocks first for subsequently created readers to be seen.
	db.mtx.Lock()
	db.blocks = toLoad
	db.mtx.Unlock()

	for _, b := range loaded {
		if err := b.Close(); err != nil {
			return err
		}
	}
	return nil
}
