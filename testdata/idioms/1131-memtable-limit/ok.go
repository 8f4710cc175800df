// Correct: the unlocked look at the size only says that it may be worth taking
// the lock; rotate decides again with the lock held, so several writers that
// saw a full table rotate it once. A table a bit over the limit is allowed.

// Package ok is the write buffer of a storage engine.
package ok

import (
	"sync"
	"sync/atomic"
)

// Table is a write buffer; it is not changed any more once it is frozen.
type Table struct {
	entries map[string][]byte
	bytes   int64
}

func newTable() *Table { return &Table{entries: make(map[string][]byte)} }

// Each calls fn for all entries; it is for frozen tables.
func (t *Table) Each(fn func(key string, value []byte)) {
	for k, v := range t.entries {
		fn(k, v)
	}
}

// Buffer takes writes into an active table and freezes it when it is full.
type Buffer struct {
	limit int64

	mu     sync.RWMutex
	active *Table
	frozen []*Table // oldest first

	size      atomic.Int64 // of the active table
	rotations atomic.Int64
}

func New(limit int64) *Buffer { return &Buffer{limit: limit, active: newTable()} }

// Put writes a key.
func (b *Buffer) Put(key string, value []byte) {
	if b.size.Load() >= b.limit {
		b.rotate()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n := int64(len(value) - len(b.active.entries[key]))
	if _, ok := b.active.entries[key]; !ok {
		n += int64(len(key))
	}
	b.active.entries[key] = value
	b.active.bytes += n
	b.size.Store(b.active.bytes)
}

func (b *Buffer) rotate() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.active.bytes < b.limit {
		return
	}
	b.frozen = append(b.frozen, b.active)
	b.active = newTable()
	b.size.Store(0)
	b.rotations.Add(1)
}

// Get looks a key up, the newest table first.
func (b *Buffer) Get(key string) ([]byte, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if v, ok := b.active.entries[key]; ok {
		return v, true
	}
	for i := len(b.frozen) - 1; i >= 0; i-- {
		if v, ok := b.frozen[i].entries[key]; ok {
			return v, true
		}
	}
	return nil, false
}

// Oldest gives the frozen table to be flushed next; nil if there is none. It
// and Flushed are for the one flusher.
func (b *Buffer) Oldest() *Table {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if len(b.frozen) == 0 {
		return nil
	}
	return b.frozen[0]
}

// Flushed lets go of a table that is on disk; unknown ones are passed over.
func (b *Buffer) Flushed(t *Table) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, f := range b.frozen {
		if f == t {
			b.frozen = append(b.frozen[:i:i], b.frozen[i+1:]...)
			return
		}
	}
}

// Rotations is for the metrics.
func (b *Buffer) Rotations() int64 { return b.rotations.Load() }
