package blockcache

import (
	"sync"
	"sync/atomic"
	"time"
)

// Block is an item, which may be cached in the Cache. Blocks are read-only.
type Block interface {
	// SizeBytes must return the approximate size of the given block in bytes
	SizeBytes() int
}

// Key represents a key, which uniquely identifies the Block.
type Key struct {
	// Part is the part the block belongs to. Parts are immutable.
	Part *Part

	// Offset is the offset of the block in the part.
	Offset uint64
}

type cacheEntry struct {
	lastAccessTime int64
	b              Block
}

// Cache caches Block entries.
type Cache struct {
	requests  atomic.Uint64
	misses    atomic.Uint64
	sizeBytes atomic.Int64

	// mu protects all the fields below.
	mu           sync.Mutex
	m            map[*Part]map[uint64]*cacheEntry
	perKeyMisses map[Key]int
}

// NewCache creates new cache.
func NewCache(stopCh <-chan struct{}) *Cache {
	c := &Cache{
		m:            make(map[*Part]map[uint64]*cacheEntry),
		perKeyMisses: make(map[Key]int),
	}
	go c.cleaner(stopCh)
	return c
}

func (c *Cache) cleaner(stopCh <-chan struct{}) {
	ticker := time.NewTicker(57 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-stopCh:
			return
		case <-ticker.C:
			c.cleanByTimeout()
		}
	}
}

func (c *Cache) cleanByTimeout() {
	// Delete items accessed more than three minutes ago.
	lastAccessTime := time.Now().Unix() - 3*60
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, pes := range c.m {
		for offset, e := range pes {
			if e.lastAccessTime < lastAccessTime {
				c.sizeBytes.Add(-int64(e.b.SizeBytes()))
				delete(pes, offset)
			}
		}
		if len(pes) == 0 {
			delete(c.m, p)
		}
	}
	c.perKeyMisses = make(map[Key]int, len(c.perKeyMisses))
}

// RemoveBlocksForPart removes all the blocks for the given part from the cache.
//
// It must be called when the last user of the part is gone.
func (c *Cache) RemoveBlocksForPart(p *Part) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.m[p] {
		c.sizeBytes.Add(-int64(e.b.SizeBytes()))
	}
	delete(c.m, p)
}

// GetBlock returns a block for the given key k from c.
func (c *Cache) GetBlock(k Key) Block {
	c.requests.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()

	if e := c.m[k.Part][k.Offset]; e != nil {
		// Fast path - the block already exists in the cache, so return it to the caller.
		e.lastAccessTime = time.Now().Unix()
		return e.b
	}
	// Slow path - the entry is missing in the cache.
	c.perKeyMisses[k]++
	c.misses.Add(1)
	return nil
}

// TryPutBlock puts the given block b under the given key k into c.
func (c *Cache) TryPutBlock(k Key, b Block) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	misses := c.perKeyMisses[k]
	if misses > 0 && misses <= 2 {
		// Do not cache the entry if there were up to 2 unsuccessful attempts to access it.
		return false
	}
	c.perKeyMisses[k] = 0
	pes := c.m[k.Part]
	if pes == nil {
		pes = make(map[uint64]*cacheEntry)
		c.m[k.Part] = pes
	} else if pes[k.Offset] != nil {
		// The block has been already registered by concurrent goroutine.
		return true
	}
	pes[k.Offset] = &cacheEntry{lastAccessTime: time.Now().Unix(), b: b}
	c.sizeBytes.Add(int64(b.SizeBytes()))
	return true
}

// Part is an immutable part of a table.
type Part struct {
	cache    *Cache
	refCount atomic.Int32
	read     func(offset uint64) Block
}

// OpenPart returns a part with a single reference, which is owned by the caller.
func OpenPart(cache *Cache, read func(offset uint64) Block) *Part {
	p := &Part{cache: cache, read: read}
	p.refCount.Store(1)
	return p
}

// IncRef must be called by an owner of a reference for every new user of the part.
func (p *Part) IncRef() {
	p.refCount.Add(1)
}

// DecRef must be called when the part is no longer used.
func (p *Part) DecRef() {
	if p.refCount.Add(-1) == 0 {
		p.cache.RemoveBlocksForPart(p)
	}
}

// Block returns the block at the given offset. The caller must own a reference.
func (p *Part) Block(offset uint64) Block {
	k := Key{Part: p, Offset: offset}
	b := p.cache.GetBlock(k)
	if b == nil {
		b = p.read(offset)
		p.cache.TryPutBlock(k, b)
	}
	return b
}
