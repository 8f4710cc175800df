// Package a caches open table files of a storage engine.
package a

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var ErrClosed = errors.New("tables: cache closed")

// File is an open table file; it can be opened any number of times.
type File interface {
	ReadAt(p []byte, off int64) (int, error)
	Close() error
}

// Opener opens the table with the given number.
type Opener func(num uint64) (File, error)

// Table is a shared open file.
type Table struct {
	num  uint64
	file File
	refs atomic.Int32 // 0 means that it is being closed
}

// ReadAt reads; the caller holds a reference.
func (t *Table) ReadAt(p []byte, off int64) (int, error) { return t.file.ReadAt(p, off) }

// tryRef takes a reference unless the last one is gone.
func (t *Table) tryRef() bool {
	for {
		n := t.refs.Load()
		if n == 0 {
			return false
		}
		if t.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Cache is the set of tables that somebody reads.
type Cache struct {
	open Opener

	mu     sync.Mutex
	tables map[uint64]*Table
	closed bool

	opened atomic.Int64
	shared atomic.Int64
}

// NewCache returns an empty cache.
func NewCache(open Opener) *Cache {
	return &Cache{open: open, tables: make(map[uint64]*Table)}
}

// Acquire returns the table, which must be given to Release.
func (c *Cache) Acquire(num uint64) (*Table, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if t, ok := c.tables[num]; ok && t.tryRef() {
		c.shared.Add(1)
		return t, nil
	}
	// Either nobody has it, or it is on its way out and is replaced.
	f, err := c.open(num)
	if err != nil {
		return nil, fmt.Errorf("tables: %d: %w", num, err)
	}
	t := &Table{num: num, file: f}
	t.refs.Store(1)
	c.tables[num] = t
	c.opened.Add(1)
	return t, nil
}

// Release drops a reference and closes the file after the last one.
func (c *Cache) Release(t *Table) error {
	n := t.refs.Add(-1)
	if n > 0 {
		return nil
	}
	if n < 0 {
		panic("tables: too many releases")
	}
	c.mu.Lock()
	if c.tables[t.num] == t {
		delete(c.tables, t.num)
	}
	c.mu.Unlock()
	return t.file.Close()
}

// Close refuses further readers; those that are there go on to Release.
func (c *Cache) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// Stats returns the counters.
func (c *Cache) Stats() (opened, shared int64) { return c.opened.Load(), c.shared.Load() }
