package tsdb

import (
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"
)

// Block is an immutable directory of samples.
type Block struct {
	dir        string
	mint, maxt int64
	pending    sync.WaitGroup
}

func (pb *Block) startRead() func() {
	pb.pending.Add(1)
	return pb.pending.Done
}

// Close waits for the pending readers.
func (pb *Block) Close() error {
	pb.pending.Wait()
	return nil
}

// DB handles reads and writes of time series falling into
// a hashed partition of a seriedb.
type DB struct {
	dir       string
	retention int64

	// Mutex for that must be held when modifying the general block layout or lastGarbageCollectedMmapRef.
	mtx    sync.RWMutex
	blocks []*Block

	compactc chan struct{}
	stopc    chan struct{}
	donec    chan struct{}

	// cmtx ensures that compactions and deletions don't run simultaneously.
	cmtx sync.Mutex

	write func(dir string, mint, maxt int64) (string, error)
}

// Open returns a new DB in the given directory.
func Open(dir string, retention int64, write func(string, int64, int64) (string, error)) (*DB, error) {
	db := &DB{
		dir: dir, retention: retention, write: write,
		compactc: make(chan struct{}, 1), stopc: make(chan struct{}), donec: make(chan struct{}),
	}
	// Calling db.reload() calls db.reloadBlocks() which requires cmtx to be locked.
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	if err := db.reloadBlocks(); err != nil {
		return nil, err
	}
	go db.run()
	return db, nil
}

func (db *DB) run() {
	defer close(db.donec)
	for {
		select {
		case <-time.After(time.Minute):
			db.cmtx.Lock()
			_ = db.reloadBlocks()
			db.cmtx.Unlock()
			select {
			case db.compactc <- struct{}{}:
			default:
			}
		case <-db.compactc:
			_ = db.Compact()
		case <-db.stopc:
			return
		}
	}
}

// Compact data if possible.
func (db *DB) Compact() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	db.mtx.RLock()
	var mint, maxt int64
	for _, b := range db.blocks {
		mint, maxt = min(mint, b.mint), max(maxt, b.maxt)
	}
	db.mtx.RUnlock()
	if _, err := db.write(db.dir, mint, maxt); err != nil {
		return err
	}
	return db.reloadBlocks()
}

// CleanTombstones re-writes any blocks with tombstones.
func (db *DB) CleanTombstones() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	for _, b := range db.Blocks() {
		if _, err := db.write(b.dir, b.mint, b.maxt); err != nil {
			return err
		}
	}
	return db.reloadBlocks()
}

// reloadBlocks reloads blocks without touching head.
// Blocks that are obsolete due to replacement or retention will be deleted.
// db.cmtx must be held when calling.
func (db *DB) reloadBlocks() error {
	db.mtx.RLock()
	loadable, err := openBlocks(db.dir, db.blocks)
	db.mtx.RUnlock()
	if err != nil {
		return err
	}

	var toLoad []*Block
	deletable := map[string]*Block{}
	for _, b := range loadable {
		if db.beyondRetention(loadable, b) {
			deletable[b.dir] = b
			continue
		}
		toLoad = append(toLoad, b)
	}
	sort.Slice(toLoad, func(i, j int) bool { return toLoad[i].mint < toLoad[j].mint })

	// Swap new blocks first for subsequently created readers to be seen.
	db.mtx.Lock()
	oldBlocks := db.blocks
	db.blocks = toLoad
	db.mtx.Unlock()

	for _, b := range oldBlocks {
		if _, ok := deletable[b.dir]; !ok && !contains(toLoad, b) {
			deletable[b.dir] = b
		}
	}
	for dir, b := range deletable {
		if err := b.Close(); err != nil {
			return err
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) beyondRetention(blocks []*Block, b *Block) bool {
	var newest int64
	for _, o := range blocks {
		newest = max(newest, o.maxt)
	}
	return db.retention > 0 && newest-b.maxt > db.retention
}

// Blocks returns the databases persisted blocks.
func (db *DB) Blocks() []*Block {
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	return db.blocks
}

// Querier calls f for the blocks of a time range.
func (db *DB) Querier(mint, maxt int64, f func(*Block)) {
	var rel []func()
	var bs []*Block
	db.mtx.RLock()
	for _, b := range db.blocks {
		if b.mint <= maxt && mint <= b.maxt {
			bs = append(bs, b)
			rel = append(rel, b.startRead())
		}
	}
	db.mtx.RUnlock()
	for i, b := range bs {
		f(b)
		rel[i]()
	}
}

// Close the partition.
func (db *DB) Close() {
	close(db.stopc)
	<-db.donec
}

func openBlocks(dir string, loaded []*Block) ([]*Block, error) {
	dirs, err := filepath.Glob(filepath.Join(dir, "b-*"))
	if err != nil {
		return nil, err
	}
	var blocks []*Block
outer:
	for _, d := range dirs {
		// See if we already have the block in memory or open it otherwise.
		for _, b := range loaded {
			if b.dir == d {
				blocks = append(blocks, b)
				continue outer
			}
		}
		blocks = append(blocks, &Block{dir: d})
	}
	return blocks, nil
}

func contains(bs []*Block, b *Block) bool {
	for _, o := range bs {
		if o == b {
			return true
		}
	}
	return false
}
