// Package ok opens and closes the blocks of a database.
package ok

import (
	"errors"
	"log"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"
)

// Block is one directory with samples. It counts its readers.
type Block struct {
	ID      string
	MinTime int64
	parents []string

	pending sync.WaitGroup
	mu      sync.RWMutex
	closing bool
}

func (b *Block) startRead() bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closing {
		return false
	}
	b.pending.Add(1)
	return true
}

func (b *Block) close() {
	b.mu.Lock()
	b.closing = true
	b.mu.Unlock()
	b.pending.Wait()
}

// DB is a directory of blocks.
type DB struct {
	dir     string
	open    func(dir string) (*Block, error)
	compact func(dir string, blocks []*Block) error
	stopc   chan struct{}
	donec   chan struct{}

	// cmtx is held by everything that changes the set of blocks, be it on
	// disk or in memory: compaction, deletion and reloading.
	cmtx sync.Mutex

	// mtx guards blocks for the sake of the readers.
	mtx    sync.RWMutex
	blocks []*Block
}

// Open loads the blocks below dir and starts the compaction.
func Open(dir string, open func(string) (*Block, error), compact func(string, []*Block) error) (*DB, error) {
	db := &DB{dir: dir, open: open, compact: compact, stopc: make(chan struct{}), donec: make(chan struct{})}
	if err := db.reload(); err != nil {
		return nil, err
	}
	go db.run()
	return db, nil
}

func (db *DB) run() {
	defer close(db.donec)
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := db.Compact(); err != nil {
				log.Printf("compaction: %v", err)
			}
		case <-db.stopc:
			return
		}
	}
}

// Blocks returns the current blocks.
func (db *DB) Blocks() []*Block {
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	return db.blocks
}

// Compact merges blocks.
func (db *DB) Compact() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	blocks := db.Blocks()
	if len(blocks) < 2 {
		return nil
	}
	if err := db.compact(db.dir, blocks); err != nil {
		return err
	}
	return db.reloadBlocks()
}

func (db *DB) reload() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	return db.reloadBlocks()
}

// reloadBlocks makes the blocks in memory those on disk. The caller holds
// cmtx.
func (db *DB) reloadBlocks() error {
	db.mtx.RLock()
	loadable, err := db.openBlocks()
	db.mtx.RUnlock()
	if err != nil {
		return err
	}

	deletable := make(map[string]*Block)
	for _, b := range loadable {
		for _, p := range b.parents {
			deletable[p] = nil
		}
	}
	var load []*Block
	for _, b := range loadable {
		if _, ok := deletable[b.ID]; ok {
			deletable[b.ID] = b
		} else {
			load = append(load, b)
		}
	}
	sort.Slice(load, func(i, j int) bool { return load[i].MinTime < load[j].MinTime })

	// Swap first, so that new readers see the new blocks.
	db.mtx.Lock()
	old := db.blocks
	db.blocks = load
	db.mtx.Unlock()

	for _, b := range old {
		if _, ok := deletable[b.ID]; ok {
			deletable[b.ID] = b
		}
	}
	var errs []error
	for id, b := range deletable {
		if b != nil {
			b.close()
		}
		errs = append(errs, os.RemoveAll(filepath.Join(db.dir, id)))
	}
	return errors.Join(errs...)
}

// openBlocks returns the blocks on disk; those in memory are used again. The
// caller holds mtx.
func (db *DB) openBlocks() ([]*Block, error) {
	dirs, err := filepath.Glob(filepath.Join(db.dir, "block-*"))
	if err != nil {
		return nil, err
	}
	var all []*Block
next:
	for _, dir := range dirs {
		for _, b := range db.blocks {
			if b.ID == filepath.Base(dir) {
				all = append(all, b)
				continue next
			}
		}
		b, err := db.open(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// Read calls f for the current blocks that are not being closed.
func (db *DB) Read(f func(*Block)) {
	for _, b := range db.Blocks() {
		if b.startRead() {
			f(b)
			b.pending.Done()
		}
	}
}

// Close ends the compaction and closes the blocks.
func (db *DB) Close() {
	close(db.stopc)
	<-db.donec
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	for _, b := range db.Blocks() {
		b.close()
	}
}
