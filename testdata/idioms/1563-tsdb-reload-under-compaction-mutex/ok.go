package a

import (
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"
)

type Block struct {
	ulid    string
	minTime int64
	maxTime int64
}

func (b *Block) Close() error { return nil }

type DB struct {
	dir       string
	retention int64
	compactc  chan struct{}
	stopc     chan struct{}

	// mtx must be held when modifying the general block layout.
	mtx    sync.RWMutex
	blocks []*Block

	// cmtx ensures that compactions and deletions don't run simultaneously.
	cmtx sync.Mutex
}

// NumBlocks returns the number of the databases persisted blocks.
func (db *DB) NumBlocks() int {
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	return len(db.blocks)
}

func openBlocks(dir string, loaded []*Block) ([]*Block, error) {
	ents, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var blocks []*Block
	for _, e := range ents {
		var block *Block
		for _, b := range loaded {
			if b.ulid == e.Name() {
				block = b
			}
		}
		if block == nil {
			block = &Block{ulid: e.Name()}
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// reloadBlocks reloads blocks without touching head.
// Blocks that are obsolete due to replacement or retention will be deleted.
// cmtx must be held.
func (db *DB) reloadBlocks() error {
	db.mtx.RLock()
	loadable, err := openBlocks(db.dir, db.blocks)
	db.mtx.RUnlock()
	if err != nil {
		return err
	}

	var toLoad, deletable []*Block
	limit := time.Now().UnixMilli() - db.retention
	for _, block := range loadable {
		if block.maxTime < limit {
			deletable = append(deletable, block)
			continue
		}
		toLoad = append(toLoad, block)
	}
	sort.Slice(toLoad, func(i, j int) bool { return toLoad[i].minTime < toLoad[j].minTime })

	// Swap new blocks first for subsequently created readers to be seen.
	db.mtx.Lock()
	db.blocks = toLoad
	db.mtx.Unlock()

	for _, block := range deletable {
		block.Close()
		if err := os.RemoveAll(filepath.Join(db.dir, block.ulid)); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) CleanTombstones() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	return db.reloadBlocks()
}

func (db *DB) run() {
	for {
		select {
		case <-db.stopc:
			return
		case <-time.After(1 * time.Minute):
			db.cmtx.Lock()
			db.reloadBlocks()
			db.cmtx.Unlock()
		case <-db.compactc:
			db.CleanTombstones()
		}
	}
}
