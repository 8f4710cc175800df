// Correct: a miss leaves a call in loading before the lock is given up, so
// there is only one load per block and only its owner fills in the block; the
// others wait for it. Blocks of a file never change.

// Package ok caches blocks of immutable files.
package ok

import (
	"container/list"
	"sync"
)

// BlockKey is a block's place.
type BlockKey struct {
	File   uint64
	Offset int64
}

type cached struct {
	key  BlockKey
	data []byte
}

type call struct {
	done chan struct{}
	data []byte
	err  error
}

// Loader reads a block from disk.
type Loader func(BlockKey) ([]byte, error)

// Cache keeps the blocks used last, up to capacity bytes.
type Cache struct {
	load     Loader
	capacity int

	mu      sync.Mutex
	order   *list.List // of *cached, front is newest
	blocks  map[BlockKey]*list.Element
	loading map[BlockKey]*call
	size    int
}

func New(load Loader, capacity int) *Cache {
	return &Cache{
		load:     load,
		capacity: capacity,
		order:    list.New(),
		blocks:   make(map[BlockKey]*list.Element),
		loading:  make(map[BlockKey]*call),
	}
}

// Get returns a block, which must not be changed.
func (c *Cache) Get(k BlockKey) ([]byte, error) {
	c.mu.Lock()
	if e, ok := c.blocks[k]; ok {
		c.order.MoveToFront(e)
		data := e.Value.(*cached).data
		c.mu.Unlock()
		return data, nil
	}
	if other, ok := c.loading[k]; ok {
		c.mu.Unlock()
		<-other.done
		return other.data, other.err
	}
	own := &call{done: make(chan struct{})}
	c.loading[k] = own
	c.mu.Unlock()

	own.data, own.err = c.load(k)

	c.mu.Lock()
	delete(c.loading, k)
	if own.err == nil {
		c.blocks[k] = c.order.PushFront(&cached{key: k, data: own.data})
		c.size += len(own.data)
		c.shrink()
	}
	c.mu.Unlock()
	close(own.done)
	return own.data, own.err
}

// shrink wants c.mu held.
func (c *Cache) shrink() {
	for c.size > c.capacity && c.order.Len() > 1 {
		e := c.order.Back()
		b := c.order.Remove(e).(*cached)
		delete(c.blocks, b.key)
		c.size -= len(b.data)
	}
}

// Size is the number of bytes held.
func (c *Cache) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}
