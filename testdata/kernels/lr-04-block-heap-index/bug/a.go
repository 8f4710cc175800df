package lr04

import (
	"container/heap"
	"sync"
	"sync/atomic"
	"time"
)

type key struct {
	part   any
	offset uint64
}

// Block is an item that may be cached.
type Block interface {
	SizeBytes() int
}

type cacheEntry struct {
	lastAccessTime uint64
	heapIdx        int
	k              key
	b              Block
}

type cache struct {
	mu        sync.RWMutex
	m         map[any]map[uint64]*cacheEntry
	lah       lastAccessHeap
	maxBytes  int64
	sizeBytes atomic.Int64
	requests  atomic.Uint64
	misses    atomic.Uint64
}

func newCache(maxBytes int64) *cache {
	c := &cache{maxBytes: maxBytes, m: make(map[any]map[uint64]*cacheEntry)}
	go c.cleaner()
	return c
}

func (c *cache) cleaner() {
	for range time.Tick(time.Minute) {
		c.cleanByTimeout()
	}
}

func unixTimestamp() uint64 { return uint64(time.Now().Unix()) }

func (c *cache) RemoveBlocksForPart(p any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.m[p] {
		c.sizeBytes.Add(-int64(e.b.SizeBytes()))
		heap.Remove(&c.lah, e.heapIdx)
	}
	delete(c.m, p)
}

func (c *cache) cleanByTimeout() {
	limit := unixTimestamp() - 3*60
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.lah) > 0 && atomic.LoadUint64(&c.lah[0].lastAccessTime) < limit {
		c.removeLeastRecentlyAccessedItem()
	}
}

func (c *cache) removeLeastRecentlyAccessedItem() {
	e := c.lah[0]
	c.sizeBytes.Add(-int64(e.b.SizeBytes()))
	pes := c.m[e.k.part]
	delete(pes, e.k.offset)
	if len(pes) == 0 {
		delete(c.m, e.k.part)
	}
	heap.Pop(&c.lah)
}

func (c *cache) GetBlock(k key) Block {
	c.requests.Add(1)
	c.mu.RLock()
	if pes := c.m[k.part]; pes != nil {
		if e := pes[k.offset]; e != nil {
			now := unixTimestamp()
			v := e.b
			lat := atomic.LoadUint64(&e.lastAccessTime)
			c.mu.RUnlock()

			// update records once in 5 seconds
			if lat+5 < now {
				c.mu.Lock()
				// concurrent thread may already have fixed the heap
				lat = atomic.LoadUint64(&e.lastAccessTime)
				if lat+5 < now {
					atomic.StoreUint64(&e.lastAccessTime, now)
					heap.Fix(&c.lah, e.heapIdx)
				}
				c.mu.Unlock()
			}
			return v
		}
	}
	c.mu.RUnlock()
	c.misses.Add(1)
	return nil
}

func (c *cache) PutBlock(k key, b Block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pes := c.m[k.part]
	if pes == nil {
		pes = make(map[uint64]*cacheEntry)
		c.m[k.part] = pes
	} else if pes[k.offset] != nil {
		return
	}
	e := &cacheEntry{lastAccessTime: unixTimestamp(), k: k, b: b}
	heap.Push(&c.lah, e)
	pes[k.offset] = e
	c.sizeBytes.Add(int64(b.SizeBytes()))
	for c.sizeBytes.Load() > c.maxBytes && len(c.lah) > 0 {
		c.removeLeastRecentlyAccessedItem()
	}
}

type lastAccessHeap []*cacheEntry

func (h lastAccessHeap) Len() int { return len(h) }
func (h lastAccessHeap) Less(i, j int) bool {
	return atomic.LoadUint64(&h[i].lastAccessTime) < atomic.LoadUint64(&h[j].lastAccessTime)
}
func (h lastAccessHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].heapIdx, h[j].heapIdx = i, j
}
func (h *lastAccessHeap) Push(x any) {
	e := x.(*cacheEntry)
	e.heapIdx = len(*h)
	*h = append(*h, e)
}
func (h *lastAccessHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}
