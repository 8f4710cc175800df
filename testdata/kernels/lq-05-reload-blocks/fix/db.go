package tsdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

type BlockMeta struct {
	ID      string
	MinTime int64
	MaxTime int64
	Parents []string
}

// Block is a persisted, opened block.
type Block struct {
	dir  string
	meta BlockMeta

	pendingReaders sync.WaitGroup
	closeOnce      sync.Once
}

func (b *Block) Meta() BlockMeta { return b.meta }

func (b *Block) Close() {
	b.closeOnce.Do(b.pendingReaders.Wait)
}

// DB handles reads and writes of time series falling into the blocks.
type DB struct {
	dir       string
	retention int64

	compactc chan struct{}
	donec    chan struct{}
	stopc    chan struct{}

	// mtx protects blocks.
	mtx    sync.RWMutex
	blocks []*Block

	// cmtx ensures that compactions and deletions don't run simultaneously.
	cmtx    sync.Mutex
	compact func(dir string, blocks []*Block) error
}

func Open(dir string, retention int64, compact func(string, []*Block) error) (*DB, error) {
	db := &DB{
		dir:       dir,
		retention: retention,
		compactc:  make(chan struct{}, 1),
		donec:     make(chan struct{}),
		stopc:     make(chan struct{}),
		compact:   compact,
	}
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
			select {
			case db.compactc <- struct{}{}:
			default:
			}
			if err := db.reloadBlocks(); err != nil {
				fmt.Fprintln(os.Stderr, "reloadBlocks", err)
			}
		case <-db.compactc:
			if err := db.Compact(); err != nil {
				fmt.Fprintln(os.Stderr, "compaction failed", err)
			}
		case <-db.stopc:
			return
		}
	}
}

// Compact data if possible.
func (db *DB) Compact() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	if err := db.compact(db.dir, db.Blocks()); err != nil {
		return err
	}
	return db.reloadBlocks()
}

// CleanTombstones re-writes any blocks with tombstones.
func (db *DB) CleanTombstones(clean func(b *Block) error) error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	for _, b := range db.Blocks() {
		if err := clean(b); err != nil {
			return fmt.Errorf("clean tombstones: %s: %w", b.dir, err)
		}
	}
	return db.reloadBlocks()
}

// Blocks returns the databases persisted blocks.
func (db *DB) Blocks() []*Block {
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	return db.blocks
}

func getBlock(allBlocks []*Block, id string) (*Block, bool) {
	for _, b := range allBlocks {
		if b.Meta().ID == id {
			return b, true
		}
	}
	return nil, false
}

func openBlocks(dir string, loaded []*Block) (blocks []*Block, err error) {
	dirs, err := filepath.Glob(filepath.Join(dir, "b-*"))
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		id := filepath.Base(d)
		block, open := getBlock(loaded, id)
		if !open {
			parts := strings.Split(id, "-")
			if len(parts) < 3 {
				continue
			}
			mint, _ := strconv.ParseInt(parts[1], 10, 64)
			maxt, _ := strconv.ParseInt(parts[2], 10, 64)
			block = &Block{dir: d, meta: BlockMeta{ID: id, MinTime: mint, MaxTime: maxt, Parents: parts[3:]}}
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// reloadBlocks reloads blocks without touching head. Blocks that are obsolete
// due to replacement or retention will be deleted.
func (db *DB) reloadBlocks() error {
	db.mtx.Lock()
	defer db.mtx.Unlock()

	loadable, err := openBlocks(db.dir, db.blocks)
	if err != nil {
		return err
	}
	deletable := map[string]*Block{}
	for _, b := range loadable {
		if b.Meta().MaxTime < db.retention {
			deletable[b.Meta().ID] = b
		}
		for _, p := range b.Meta().Parents {
			deletable[p] = nil
		}
	}
	var toLoad []*Block
	for _, b := range loadable {
		if _, ok := deletable[b.Meta().ID]; ok {
			deletable[b.Meta().ID] = b
			continue
		}
		toLoad = append(toLoad, b)
	}
	sort.Slice(toLoad, func(i, j int) bool {
		return toLoad[i].Meta().MinTime < toLoad[j].Meta().MinTime
	})

	// Swap new blocks first for subsequently created readers to be seen.
	oldBlocks := db.blocks
	db.blocks = toLoad

	for _, b := range oldBlocks {
		if _, ok := deletable[b.Meta().ID]; ok {
			deletable[b.Meta().ID] = b
		}
	}
	return db.deleteBlocks(deletable)
}

func (db *DB) deleteBlocks(blocks map[string]*Block) error {
	var errs []error
	for id, block := range blocks {
		if block != nil {
			block.Close()
		}
		errs = append(errs, os.RemoveAll(filepath.Join(db.dir, id)))
	}
	return errors.Join(errs...)
}

// Close the DB.
func (db *DB) Close() {
	close(db.stopc)
	<-db.donec
	for _, b := range db.Blocks() {
		b.Close()
	}
}
