package a

import (
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Block is one directory with samples.
type Block struct {
	dir     string
	pending sync.WaitGroup // readers
}

func (b *Block) Close() { b.pending.Wait() }

// DB is a set of blocks.
type DB struct {
	dir string

	// cmtx ensures that compactions, deletions and reloads do not run at the same
	// time.
	cmtx sync.Mutex

	// mtx protects blocks. It is only held for a short time since queries need it.
	mtx    sync.RWMutex
	blocks []*Block

	stopc chan struct{}
}

func Open(dir string) (*DB, error) {
	db := &DB{dir: dir, stopc: make(chan struct{})}
	if err := db.Reload(); err != nil {
		return nil, err
	}
	go db.run()
	return db, nil
}

func (db *DB) run() {
	for {
		select {
		case <-db.stopc:
			return
		case <-time.After(time.Minute):
			db.Reload()
		}
	}
}

// Reload looks for blocks that have been added.
func (db *DB) Reload() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	return db.reloadBlocks("")
}

// Delete removes the block from the database and then from the disk.
func (db *DB) Delete(name string) error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	dir := filepath.Join(db.dir, name)
	if err := db.reloadBlocks(dir); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// reloadBlocks loads all blocks except deletable and waits for the readers of those
// that are gone. It must be called with cmtx held.
func (db *DB) reloadBlocks(deletable string) error {
	dirs, err := filepath.Glob(filepath.Join(db.dir, "*"))
	if err != nil {
		return err
	}
	loaded := make(map[string]*Block)
	db.mtx.RLock()
	for _, b := range db.blocks {
		loaded[b.dir] = b
	}
	db.mtx.RUnlock()

	var blocks []*Block
	for _, d := range dirs {
		if d == deletable {
			continue
		}
		b, ok := loaded[d]
		if !ok {
			b = &Block{dir: d}
		}
		delete(loaded, d)
		blocks = append(blocks, b)
	}

	db.mtx.Lock()
	db.blocks = blocks
	db.mtx.Unlock()

	for _, b := range loaded {
		b.Close()
	}
	return nil
}

// Query calls fn for every block.
func (db *DB) Query(fn func(dir string)) {
	db.mtx.RLock()
	blocks := db.blocks
	for _, b := range blocks {
		b.pending.Add(1)
	}
	db.mtx.RUnlock()
	for _, b := range blocks {
		fn(b.dir)
		b.pending.Done()
	}
}

func (db *DB) Close() { close(db.stopc) }
