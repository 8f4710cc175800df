// Package ok is a time series database with blocks on disk.
package ok

import (
	"cmp"
	"slices"
	"sync"
)

// Meta describes a block on disk. Its parents were compacted to it.
type Meta struct {
	ULID             string
	MinTime, MaxTime int64
	Parents          []string
}

// Dir is the directory of the blocks.
type Dir interface {
	List() ([]Meta, error)
	Open(ulid string) (Data, error)
	Remove(ulid string) error   // no error if there is none
	Compact(metas []Meta) error // writes a block that has them as parents
}

// Data is the content of a block.
type Data interface {
	Sum(mint, maxt int64) float64
	Close() error
}

type block struct {
	meta    Meta
	data    Data
	readers sync.WaitGroup
}

// DB is safe for concurrent use.
type DB struct {
	dir Dir

	// mtx protects blocks.
	mtx    sync.RWMutex
	blocks []*block

	// cmtx ensures that compactions, deletions and reloads don't run
	// simultaneously.
	cmtx sync.Mutex
}

// Open opens the blocks of a directory.
func Open(dir Dir) (*DB, error) {
	db := &DB{dir: dir}
	return db, db.Reload()
}

// Reload opens the blocks that are new in the directory.
func (db *DB) Reload() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	return db.reloadBlocks()
}

// Compact makes one block of all.
func (db *DB) Compact() error {
	db.cmtx.Lock()
	defer db.cmtx.Unlock()
	db.mtx.RLock()
	var metas []Meta
	for _, b := range db.blocks {
		metas = append(metas, b.meta)
	}
	db.mtx.RUnlock()
	if err := db.dir.Compact(metas); err != nil {
		return err
	}
	return db.reloadBlocks()
}

// reloadBlocks is called with cmtx held. Opening large blocks takes long, so it
// holds mtx only to read and to swap the list.
func (db *DB) reloadBlocks() error {
	metas, err := db.dir.List()
	if err != nil {
		return err
	}
	db.mtx.RLock()
	open := make(map[string]*block)
	for _, b := range db.blocks {
		open[b.meta.ULID] = b
	}
	db.mtx.RUnlock()

	deletable := make(map[string]bool)
	for _, m := range metas {
		for _, p := range m.Parents {
			deletable[p] = true
		}
	}
	var toLoad []*block
	for _, m := range metas {
		b := open[m.ULID]
		if deletable[m.ULID] {
			continue
		}
		if b == nil {
			data, err := db.dir.Open(m.ULID)
			if err != nil {
				return err
			}
			b = &block{meta: m, data: data}
		}
		toLoad = append(toLoad, b)
	}
	slices.SortFunc(toLoad, func(a, b *block) int { return cmp.Compare(a.meta.MinTime, b.meta.MinTime) })

	// Swap new blocks first for subsequently created readers to be seen.
	db.mtx.Lock()
	oldBlocks := db.blocks
	db.blocks = toLoad
	db.mtx.Unlock()

	for _, b := range oldBlocks {
		if !slices.Contains(toLoad, b) {
			b.readers.Wait()
			b.data.Close()
		}
	}
	for ulid := range deletable {
		if err := db.dir.Remove(ulid); err != nil {
			return err
		}
	}
	return nil
}

// Sum returns the sum of the samples in a range.
func (db *DB) Sum(mint, maxt int64) (sum float64) {
	db.mtx.RLock()
	blocks := db.blocks
	for _, b := range blocks {
		b.readers.Add(1)
	}
	db.mtx.RUnlock()
	for _, b := range blocks {
		sum += b.data.Sum(mint, maxt)
		b.readers.Done()
	}
	return sum
}
