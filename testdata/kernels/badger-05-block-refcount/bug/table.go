package bug

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/atomvet/atomvet/testdata/kernels/badger-05-block-refcount/bug/cache"
)

var bufPool = sync.Pool{New: func() any { return new([]byte) }}

// block is one decoded block of a table. Its buffer goes back to bufPool when
// the last reference is dropped.
type block struct {
	data   []byte
	pooled bool
	ref    atomic.Int32
}

func (b *block) retain() {
	b.ref.Add(1)
}

func (b *block) release() {
	if b == nil {
		return
	}
	if b.ref.Add(-1) == 0 && b.pooled {
		bufPool.Put(&b.data)
	}
}

// NewCache returns a block cache that can be shared by many tables.
func NewCache(blocks int) *cache.Cache {
	return cache.New(blocks, func(_ uint64, v any) {
		if b, ok := v.(*block); ok {
			b.release()
		}
	})
}

// Table gives access to the blocks of one sorted file.
type Table struct {
	id         uint32
	file       [][]byte
	compressed bool
	cache      *cache.Cache
}

// OpenTable returns a table over the given raw blocks; c may be nil.
func OpenTable(id uint32, file [][]byte, compressed bool, c *cache.Cache) *Table {
	return &Table{id: id, file: file, compressed: compressed, cache: c}
}

// block returns block i of the table.
func (t *Table) block(i int) (*block, error) {
	if i < 0 || i >= len(t.file) {
		return nil, errors.New("block index out of range")
	}
	key := uint64(t.id)<<32 | uint64(i)
	if t.cache != nil {
		if v, ok := t.cache.Get(key); ok {
			return v.(*block), nil
		}
	}
	b := &block{data: t.file[i]}
	if t.compressed {
		buf := bytes.NewBuffer((*bufPool.Get().(*[]byte))[:0])
		if _, err := io.Copy(buf, flate.NewReader(bytes.NewReader(t.file[i]))); err != nil {
			return nil, err
		}
		b.data, b.pooled = buf.Bytes(), true
	}
	if t.cache != nil {
		b.retain()
		t.cache.Set(key, b)
	}
	return b, nil
}

// Iterator walks the newline-terminated records of a table.
type Iterator struct {
	t    *Table
	bpos int
	blk  *block
	rest []byte
}

// NewIterator returns an iterator positioned before the first record.
func (t *Table) NewIterator() *Iterator {
	return &Iterator{t: t, bpos: -1}
}

// Next returns the next record, or io.EOF. The record is valid until the next call.
func (it *Iterator) Next() ([]byte, error) {
	for len(it.rest) == 0 {
		if it.bpos+1 >= len(it.t.file) {
			return nil, io.EOF
		}
		it.bpos++
		b, err := it.t.block(it.bpos)
		if err != nil {
			return nil, err
		}
		it.setBlock(b)
	}
	rec, rest, _ := bytes.Cut(it.rest, []byte{'\n'})
	it.rest = rest
	return rec, nil
}

func (it *Iterator) setBlock(b *block) {
	it.blk.release()
	b.retain()
	it.blk = b
	it.rest = b.data
}

// Close releases the block under the iterator.
func (it *Iterator) Close() {
	it.blk.release()
	it.blk, it.rest = nil, nil
}
