// Package ok serves reads from blocks on disk that are reloaded from time to time.
package ok

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

var errClosing = errors.New("block is closing")

// Meta describes a block on disk.
type Meta struct {
	ID       string
	From, To int64
}

// Disk lists and deletes blocks.
type Disk interface {
	List() ([]Meta, error)
	Load(id string) (map[int64]float64, error)
	Delete(id string) error
}

type block struct {
	meta Meta
	data map[int64]float64

	mu      sync.RWMutex
	closing bool
	readers sync.WaitGroup
}

func (b *block) startRead() error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closing {
		return errClosing
	}
	b.readers.Add(1)
	return nil
}

func (b *block) close() {
	b.mu.Lock()
	b.closing = true
	b.mu.Unlock()
	b.readers.Wait()
}

// DB is the set of blocks.
type DB struct {
	disk Disk

	// maint serialises everything that changes the set of blocks.
	maint sync.Mutex

	mu     sync.RWMutex
	blocks []*block
}

// Open loads the blocks.
func Open(d Disk) (*DB, error) {
	db := &DB{disk: d}
	if err := db.Reload(); err != nil {
		return nil, err
	}
	return db, nil
}

// Reload makes the set of blocks what the disk says.
func (db *DB) Reload() error {
	db.maint.Lock()
	defer db.maint.Unlock()
	return db.reload()
}

// reload is called with maint held.
func (db *DB) reload() error {
	metas, err := db.disk.List()
	if err != nil {
		return err
	}
	db.mu.RLock()
	have := make(map[string]*block, len(db.blocks))
	for _, b := range db.blocks {
		have[b.meta.ID] = b
	}
	db.mu.RUnlock()

	var next []*block
	for _, m := range metas {
		if b, ok := have[m.ID]; ok {
			delete(have, m.ID)
			next = append(next, b)
			continue
		}
		data, err := db.disk.Load(m.ID)
		if err != nil {
			return err
		}
		next = append(next, &block{meta: m, data: data})
	}
	slices.SortFunc(next, func(a, b *block) int { return strings.Compare(a.meta.ID, b.meta.ID) })

	db.mu.Lock()
	db.blocks = next
	db.mu.Unlock()

	for _, b := range have {
		b.close()
	}
	return nil
}

// DropBefore deletes the blocks that end before t.
func (db *DB) DropBefore(t int64) error {
	db.maint.Lock()
	defer db.maint.Unlock()
	db.mu.RLock()
	var ids []string
	for _, b := range db.blocks {
		if b.meta.To < t {
			ids = append(ids, b.meta.ID)
		}
	}
	db.mu.RUnlock()
	for _, id := range ids {
		if err := db.disk.Delete(id); err != nil {
			return err
		}
	}
	return db.reload()
}

// Sum adds up the values of a range.
func (db *DB) Sum(from, to int64) (float64, error) {
	var open []*block
	defer func() {
		for _, b := range open {
			b.readers.Done()
		}
	}()
	db.mu.RLock()
	for _, b := range db.blocks {
		if b.meta.From <= to && from <= b.meta.To {
			if err := b.startRead(); err != nil {
				db.mu.RUnlock()
				return 0, err
			}
			open = append(open, b)
		}
	}
	db.mu.RUnlock()
	var sum float64
	for _, b := range open {
		for t, v := range b.data {
			if from <= t && t <= to {
				sum += v
			}
		}
	}
	return sum, nil
}
