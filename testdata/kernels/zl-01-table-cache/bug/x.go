// Package bug keeps sorted-table files open while readers use them.
package bug

import (
	"errors"
	"sync"
	"sync/atomic"
)

var ErrClosed = errors.New("table cache: closed")

// File is an open table.
type File interface {
	ReadAt(p []byte, off int64) (int, error)
	Close() error
}

// Opener opens a table by its number.
type Opener interface {
	Open(num uint64) (File, error)
}

type entry struct {
	num  uint64
	file File
	refs atomic.Int32
}

// TableCache shares one open File between all readers of a table.
type TableCache struct {
	opener Opener

	mu     sync.Mutex
	tables map[uint64]*entry
	closed bool

	opens atomic.Int64
	hits  atomic.Int64
}

func NewTableCache(o Opener) *TableCache {
	return &TableCache{opener: o, tables: make(map[uint64]*entry)}
}

func (c *TableCache) acquire(num uint64) (*entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if e, ok := c.tables[num]; ok {
		e.refs.Add(1)
		c.hits.Add(1)
		return e, nil
	}
	f, err := c.opener.Open(num)
	if err != nil {
		return nil, err
	}
	c.opens.Add(1)
	e := &entry{num: num, file: f}
	e.refs.Store(1)
	c.tables[num] = e
	return e, nil
}

func (c *TableCache) release(e *entry) error {
	if e.refs.Add(-1) > 0 {
		return nil
	}
	c.mu.Lock()
	delete(c.tables, e.num)
	c.mu.Unlock()
	return e.file.Close()
}

// ReadAt reads from table num.
func (c *TableCache) ReadAt(num uint64, p []byte, off int64) (int, error) {
	e, err := c.acquire(num)
	if err != nil {
		return 0, err
	}
	n, err := e.file.ReadAt(p, off)
	if cerr := c.release(e); err == nil {
		err = cerr
	}
	return n, err
}

// Iterator walks a table block by block.
type Iterator struct {
	cache *TableCache
	e     *entry
	off   int64
	done  atomic.Bool
}

func (c *TableCache) NewIterator(num uint64) (*Iterator, error) {
	e, err := c.acquire(num)
	if err != nil {
		return nil, err
	}
	return &Iterator{cache: c, e: e}, nil
}

// Next fills block with the next bytes of the table.
func (it *Iterator) Next(block []byte) (int, error) {
	n, err := it.e.file.ReadAt(block, it.off)
	it.off += int64(n)
	return n, err
}

// Close gives the table back; further calls do nothing.
func (it *Iterator) Close() error {
	if it.done.Swap(true) {
		return nil
	}
	return it.cache.release(it.e)
}

// Close refuses new readers; the tables close with their last readers.
func (c *TableCache) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
}

func (c *TableCache) Stats() (opens, hits int64) {
	return c.opens.Load(), c.hits.Load()
}
