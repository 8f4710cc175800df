// Package tablecache shares the open files of sorted tables between the
// queries that read them. A table is open as long as a query has it.
package tablecache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

const (
	footerSize = 16
	magic      = 0x7461626c65763032
)

// ErrBadTable is returned for a file which is not a complete table.
var ErrBadTable = errors.New("tablecache: bad table")

// Table is an open table file. It is shared by its holders and only read.
type Table struct {
	number uint64
	file   *os.File
	index  []byte
	refs   atomic.Int32
}

// ReadBlock reads a data block.
func (t *Table) ReadBlock(off int64, length int) ([]byte, error) {
	buf := make([]byte, length)
	if _, err := t.file.ReadAt(buf, off); err != nil {
		return nil, fmt.Errorf("table %d: block at %d: %w", t.number, off, err)
	}
	return buf, nil
}

// Find returns the offset of the block that may contain the 8 byte key, or
// false if the key is past the table. Index entries are the last key of a
// block and its offset.
func (t *Table) Find(key []byte) (int64, bool) {
	for e := t.index; len(e) >= 16; e = e[16:] {
		if bytes.Compare(key, e[:8]) <= 0 {
			return int64(binary.BigEndian.Uint64(e[8:16])), true
		}
	}
	return 0, false
}

// Cache hands out tables. It is safe for concurrent use.
type Cache struct {
	dir string
	log *slog.Logger

	mu   sync.Mutex
	open map[uint64]*Table
}

// New returns a cache for the tables in dir.
func New(dir string, log *slog.Logger) *Cache {
	return &Cache{dir: dir, log: log, open: make(map[uint64]*Table)}
}

// Acquire returns the table of that number and opens it if need be. Each
// Acquire is paired with one Release.
func (c *Cache) Acquire(number uint64) (*Table, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.open[number]; ok {
		t.refs.Add(1)
		return t, nil
	}
	t, err := openTable(filepath.Join(c.dir, fmt.Sprintf("%06d.tbl", number)), number)
	if err != nil {
		return nil, err
	}
	t.refs.Store(1)
	c.open[number] = t
	return t, nil
}

// Release gives the table back; the last holder closes it.
func (c *Cache) Release(t *Table) {
	if t.refs.Add(-1) > 0 {
		return
	}
	c.forget(t.number)
	if err := t.file.Close(); err != nil {
		c.log.Warn("table not closed cleanly", "table", t.number, "err", err)
	}
}

// With runs fn with the table.
func (c *Cache) With(number uint64, fn func(*Table) error) error {
	t, err := c.Acquire(number)
	if err != nil {
		return err
	}
	defer c.Release(t)
	return fn(t)
}

// Open returns the number of open tables.
func (c *Cache) Open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}

// forget takes the table out of the cache.
func (c *Cache) forget(number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, number)
}

// openTable opens the file and reads its index, whose place is in the footer.
func openTable(path string, number uint64) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	index, err := readIndex(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Table{number: number, file: f, index: index}, nil
}

func readIndex(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	end := info.Size() - footerSize
	if end < 0 {
		return nil, ErrBadTable
	}
	var footer [footerSize]byte
	if _, err := f.ReadAt(footer[:], end); err != nil && err != io.EOF {
		return nil, err
	}
	start := int64(binary.BigEndian.Uint64(footer[:8]))
	if binary.BigEndian.Uint64(footer[8:]) != magic || start < 0 || start > end {
		return nil, ErrBadTable
	}
	index := make([]byte, end-start)
	if _, err := f.ReadAt(index, start); err != nil && err != io.EOF {
		return nil, err
	}
	return index, nil
}
