// Package tsdb manages the persisted blocks of a time series database.
package tsdb

import (
	"fmt"
	"os"
	"sort"
	"sync"
	"time"
)

// Block is an opened block.
type Block struct {
	ID      string
	MinTime int64
	MaxTime int64
	pending sync.WaitGroup
}

func (b *Block) overlaps(mint, maxt int64) bool {
	return b.MinTime <= maxt && mint <= b.MaxTime
}

// Loader finds the blocks on disk. Those that are open already are taken from
// loaded. Open returns a new slice.
type Loader interface {
	Open(loaded []*Block) ([]*Block, error)
	Delete(b *Block) error
	Compact(blocks []*Block) error
}

// DB is a set of blocks.
type DB struct {
	loader    Loader
	retention int64

	stopc <-chan struct{}

	// cmtx ensures that compactions and deletions don't run simultaneously.
	cmtx sync.Mutex

	// Mutex for that must be held when modifying the general block layout.
	mtx    sync.RWMutex
	blocks []*Block // a slice that is in use is never changed
}

// Open opens all blocks and starts the maintenance, which ends with stopc.
func Open(loader Loader, retention int64, stopc <-chan struct{}) (*DB, error) {
	db := &DB{loader: loader, retention: retention, stopc: stopc}
	if err := db.Reload(); err != nil {
		return nil, err
	}
	go db.run()
	return db, nil
}

func (db *DB) run() {
	for {
		select {
		case <-time.After(time.Minute):
			if err := db.Reload(); err != nil {
				fmt.Fprintln(os.Stderr, "reloadBlocks:", err)
			}
		case <-db.stopc:
			return
		}
	}
}

// Reload looks for new blocks.
func (db *DB) Reload() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	return db.reloadBlocks()
}

// Compact merges blocks.
func (db *DB) Compact() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	db.mtx.RLock()
	blocks := db.blocks
	db.mtx.RUnlock()
	if err := db.loader.Compact(blocks); err != nil {
		return err
	}
	return db.reloadBlocks()
}

// reloadBlocks reloads blocks. Those beyond the retention are deleted.
// cmtx must be held.
func (db *DB) reloadBlocks() error {
	db.mtx.RLock()
	loadable, err := db.loader.Open(db.blocks)
	db.mtx.RUnlock()
	if err != nil {
		return err
	}

	sort.Slice(loadable, func(i, j int) bool { return loadable[i].MinTime < loadable[j].MinTime })
	var toLoad, deletable []*Block
	for _, b := range loadable {
		if loadable[len(loadable)-1].MaxTime-b.MaxTime > db.retention {
			deletable = append(deletable, b)
		} else {
			toLoad = append(toLoad, b)
		}
	}

	// Swap new blocks first for subsequently created readers to be seen.
	db.mtx.Lock()
	db.blocks = toLoad
	db.mtx.Unlock()

	for _, b := range deletable {
		b.pending.Wait()
		if err := db.loader.Delete(b); err != nil {
			return fmt.Errorf("delete block %s: %w", b.ID, err)
		}
	}
	return nil
}

// Querier returns the blocks of a time range and a function to release them.
func (db *DB) Querier(mint, maxt int64) (blocks []*Block, done func()) {
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	for _, b := range db.blocks {
		if b.overlaps(mint, maxt) {
			b.pending.Add(1)
			blocks = append(blocks, b)
		}
	}
	return blocks, sync.OnceFunc(func() {
		for _, b := range blocks {
			b.pending.Done()
		}
	})
}
