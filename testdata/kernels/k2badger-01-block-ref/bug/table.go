// Package table reads tables of compressed blocks.
package table

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

const (
	entrySize = 32
	intSize   = 8
)

var blockPool = &sync.Pool{
	New: func() interface{} {
		b := make([]byte, 5<<10)
		return &b
	},
}

// Options contains configurable options for Table.
type Options struct {
	Cache      *Cache // shared by all tables; it is made with BlockEvictHandler
	Compressed bool   // the blocks are compressed
}

// BlockOffset is the place of a block in the file.
type BlockOffset struct {
	Offset, Len uint32
	RawLen      uint32
}

// Table represents a loaded table file with the info we have about it.
type Table struct {
	fd         *os.File // Own fd.
	blockIndex []BlockOffset
	ref        int32 // For file garbage collection. Atomic.
	id         uint32
	opt        *Options
}

// OpenTable takes ownership of fd. It returns a table with one reference
// count on it (decrementing which may delete the file!).
func OpenTable(fd *os.File, id uint32, index []BlockOffset, opts Options) *Table {
	return &Table{
		fd:         fd,
		blockIndex: index,
		ref:        1, // Caller is given one reference.
		id:         id,
		opt:        &opts,
	}
}

// IncrRef increments the refcount (having to do with whether the file should be deleted)
func (t *Table) IncrRef() {
	atomic.AddInt32(&t.ref, 1)
}

// DecrRef decrements the refcount and possibly deletes the table
func (t *Table) DecrRef() error {
	if atomic.AddInt32(&t.ref, -1) == 0 {
		t.fd.Close()
		return os.Remove(t.fd.Name())
	}
	return nil
}

// BlockEvictHandler is used to reuse the byte slice stored in the block on cache eviction.
func BlockEvictHandler(value interface{}) {
	if b, ok := value.(*block); ok {
		b.decrRef()
	}
}

type block struct {
	offset     int
	data       []byte
	isReusable bool // used to determine if the blocked should be reused.
	ref        int32
}

func (b *block) incrRef() {
	atomic.AddInt32(&b.ref, 1)
}

func (b *block) decrRef() {
	if b == nil {
		return
	}

	p := atomic.AddInt32(&b.ref, -1)
	// Insert the []byte into pool only if the block is resuable. When a block
	// is reusable a new []byte is used for decompression and this []byte can
	// be reused.
	if p == 0 && b.isReusable {
		blockPool.Put(&b.data)
	}
	assertTrue(p >= 0)
}

func (b *block) size() int64 {
	return int64(3*intSize + cap(b.data))
}

func (t *Table) block(idx int) (*block, error) {
	if idx >= len(t.blockIndex) {
		return nil, errors.New("block out of index")
	}
	if t.opt.Cache != nil {
		key := t.blockCacheKey(idx)
		blk, ok := t.opt.Cache.Get(key)
		if ok && blk != nil {
			return blk.(*block), nil
		}
	}
	ko := t.blockIndex[idx]
	blk := &block{
		offset: int(ko.Offset),
	}
	var err error
	if blk.data, err = t.read(blk.offset, int(ko.Len)); err != nil {
		return nil, fmt.Errorf("failed to read from file: %s at offset: %d, len: %d: %w",
			t.fd.Name(), blk.offset, ko.Len, err)
	}
	if err = t.decompress(blk, int(ko.RawLen)); err != nil {
		return nil, err
	}
	if t.opt.Cache != nil {
		key := t.blockCacheKey(idx)
		blk.incrRef()
		t.opt.Cache.Set(key, blk, blk.size())
	}
	return blk, nil
}

func (t *Table) read(off, sz int) ([]byte, error) {
	res := make([]byte, sz)
	_, err := t.fd.ReadAt(res, int64(off))
	return res, err
}

// decompress decompresses the data stored in a block.
func (t *Table) decompress(b *block, rawLen int) error {
	if !t.opt.Compressed {
		return nil
	}
	dst := *blockPool.Get().(*[]byte)
	if cap(dst) < rawLen {
		dst = make([]byte, rawLen)
	}
	dst = dst[:rawLen]
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(b.data)), dst); err != nil {
		return fmt.Errorf("failed to decompress block at offset %d: %w", b.offset, err)
	}
	b.data = dst
	b.isReusable = true
	return nil
}

func (t *Table) blockCacheKey(idx int) []byte {
	buf := make([]byte, 8)
	binary.BigEndian.PutUint32(buf[:4], t.id)
	binary.BigEndian.PutUint32(buf[4:], uint32(idx))
	return buf
}

func assertTrue(b bool) {
	if !b {
		panic("Assert failed")
	}
}
