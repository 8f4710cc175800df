// Package blockcache does byte-granular io on a device with fixed blocks.
package blockcache

import (
	"container/list"
	"errors"
	"io"
	"slices"
	"sync"
)

const (
	blockSize = 4096
	stripes   = 64
)

// ErrNegative is returned for an offset before the device.
var ErrNegative = errors.New("blockcache: negative offset")

// Device reads and writes whole blocks.
type Device interface {
	io.ReaderAt
	io.WriterAt
}

type cached struct {
	block int64
	data  []byte // never changed in place
}

// Cache is a write-through cache.
type Cache struct {
	dev     Device
	max     int
	stripes [stripes]sync.Mutex

	mu     sync.Mutex
	lru    *list.List
	blocks map[int64]*list.Element
}

// New returns a cache of max blocks.
func New(dev Device, max int) *Cache {
	return &Cache{dev: dev, max: max, lru: list.New(), blocks: make(map[int64]*list.Element)}
}

func (c *Cache) stripe(block int64) *sync.Mutex {
	return &c.stripes[block%stripes]
}

func (c *Cache) get(block int64) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.blocks[block]
	if e == nil {
		return nil
	}
	c.lru.MoveToFront(e)
	return e.Value.(*cached).data
}

func (c *Cache) put(block int64, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.blocks[block]; e != nil {
		e.Value.(*cached).data = data
		c.lru.MoveToFront(e)
		return
	}
	c.blocks[block] = c.lru.PushFront(&cached{block: block, data: data})
	for c.lru.Len() > c.max {
		last := c.lru.Back()
		c.lru.Remove(last)
		delete(c.blocks, last.Value.(*cached).block)
	}
}

func (c *Cache) drop(block int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.blocks[block]; e != nil {
		c.lru.Remove(e)
		delete(c.blocks, block)
	}
}

// load returns the content of a block. The caller holds its stripe.
func (c *Cache) load(block int64) ([]byte, error) {
	if data := c.get(block); data != nil {
		return data, nil
	}
	data := make([]byte, blockSize)
	if _, err := c.dev.ReadAt(data, block*blockSize); err != nil {
		return nil, err
	}
	c.put(block, data)
	return data, nil
}

func (c *Cache) readPart(block int64, at int, p []byte) error {
	mu := c.stripe(block)
	mu.Lock()
	defer mu.Unlock()
	data, err := c.load(block)
	if err != nil {
		return err
	}
	copy(p, data[at:])
	return nil
}

func (c *Cache) writePart(block int64, at int, p []byte) error {
	mu := c.stripe(block)
	mu.Lock()
	defer mu.Unlock()
	old, err := c.load(block)
	if err != nil {
		return err
	}
	data := slices.Clone(old)
	copy(data[at:], p)
	if _, err := c.dev.WriteAt(data, block*blockSize); err != nil {
		// The device may have taken a part of it.
		c.drop(block)
		return err
	}
	c.put(block, data)
	return nil
}

func each(p []byte, off int64, fn func(block int64, at int, p []byte) error) (int, error) {
	if off < 0 {
		return 0, ErrNegative
	}
	done := 0
	for done < len(p) {
		pos := off + int64(done)
		at := int(pos % blockSize)
		n := min(blockSize-at, len(p)-done)
		if err := fn(pos/blockSize, at, p[done:done+n]); err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// ReadAt implements io.ReaderAt. It is atomic for each block only.
func (c *Cache) ReadAt(p []byte, off int64) (int, error) {
	return each(p, off, c.readPart)
}

// WriteAt implements io.WriterAt. It is atomic for each block only.
func (c *Cache) WriteAt(p []byte, off int64) (int, error) {
	return each(p, off, c.writePart)
}
