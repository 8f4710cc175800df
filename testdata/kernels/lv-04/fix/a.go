// Package tsdb manages the persisted blocks of a time series database.
package tsdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"
)

// BlockMeta is the content of the meta file of a block.
type BlockMeta struct {
	ULID    string   `json:"ulid"`
	MinTime int64    `json:"minTime"`
	MaxTime int64    `json:"maxTime"`
	Parents []string `json:"parents,omitempty"`
}

// Block is an opened block.
type Block struct {
	meta   BlockMeta
	dir    string
	chunks *os.File
}

// DB is a set of blocks in one directory.
type DB struct {
	dir   string
	stopc <-chan struct{}

	// cmtx ensures that compactions and deletions don't run simultaneously.
	cmtx sync.Mutex

	// mtx must be held when modifying the general block layout.
	mtx    sync.RWMutex
	blocks []*Block
}

// Open opens the blocks in dir and starts the maintenance, which ends with stopc.
func Open(dir string, stopc <-chan struct{}) (*DB, error) {
	db := &DB{dir: dir, stopc: stopc}
	if err := db.reloadBlocks(); err != nil {
		return nil, err
	}
	go db.run()
	return db, nil
}

func (db *DB) run() {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := db.reloadBlocks(); err != nil {
				fmt.Fprintln(os.Stderr, "reloadBlocks:", err)
			}
		case <-db.stopc:
			return
		}
	}
}

// Blocks returns the open blocks.
func (db *DB) Blocks() []*Block {
	db.mtx.RLock()
	defer db.mtx.RUnlock()
	return append([]*Block(nil), db.blocks...)
}

// reloadBlocks opens new blocks and deletes those that are obsolete.
func (db *DB) reloadBlocks() error {
	db.mtx.Lock()
	defer db.mtx.Unlock()

	loadable, err := openBlocks(db.dir, db.blocks)
	if err != nil {
		return err
	}

	// Mark all parents of loaded blocks as deletable.
	deletable := make(map[string]*Block)
	for _, block := range loadable {
		for _, p := range block.meta.Parents {
			deletable[p] = nil
		}
	}
	var toLoad []*Block
	for _, block := range loadable {
		if _, ok := deletable[block.meta.ULID]; ok {
			deletable[block.meta.ULID] = block
			continue
		}
		toLoad = append(toLoad, block)
	}
	sort.Slice(toLoad, func(i, j int) bool {
		return toLoad[i].meta.MinTime < toLoad[j].meta.MinTime
	})

	// Swap new blocks first for subsequently created readers to be seen.
	db.blocks = toLoad

	return deleteBlocks(deletable)
}

func openBlocks(dir string, loaded []*Block) ([]*Block, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var blocks []*Block
	for _, e := range entries {
		bDir := filepath.Join(dir, e.Name())
		buf, err := os.ReadFile(filepath.Join(bDir, "meta.json"))
		if err != nil {
			continue
		}
		var meta BlockMeta
		if err := json.Unmarshal(buf, &meta); err != nil {
			return nil, err
		}
		block := getBlock(loaded, meta.ULID)
		if block == nil {
			f, err := os.Open(filepath.Join(bDir, "chunks"))
			if err != nil {
				return nil, err
			}
			block = &Block{meta: meta, dir: bDir, chunks: f}
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

func getBlock(all []*Block, id string) *Block {
	for _, b := range all {
		if b.meta.ULID == id {
			return b
		}
	}
	return nil
}

func deleteBlocks(blocks map[string]*Block) error {
	for id, block := range blocks {
		if block == nil {
			continue
		}
		if err := block.chunks.Close(); err != nil {
			return fmt.Errorf("close block %s: %w", id, err)
		}
		if err := os.RemoveAll(block.dir); err != nil {
			return fmt.Errorf("delete obsolete block %s: %w", id, err)
		}
	}
	return nil
}

// CleanTombstones rewrites the named block under a new id and reloads.
func (db *DB) CleanTombstones(id, newID string) error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()

	for _, b := range db.Blocks() {
		if b.meta.ULID != id {
			continue
		}
		meta := b.meta
		meta.ULID, meta.Parents = newID, []string{id}
		if err := writeBlock(filepath.Join(db.dir, newID), meta); err != nil {
			return err
		}
	}
	return db.reloadBlocks()
}

func writeBlock(dir string, meta BlockMeta) error {
	tmp := dir + ".tmp"
	buf, err := json.Marshal(meta)
	err = errors.Join(err, os.MkdirAll(tmp, 0o777))
	err = errors.Join(err, os.WriteFile(filepath.Join(tmp, "chunks"), nil, 0o666))
	err = errors.Join(err, os.WriteFile(filepath.Join(tmp, "meta.json"), buf, 0o666))
	return errors.Join(err, os.Rename(tmp, dir))
}
