package core

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// Hash is the hash of a header.
type Hash [32]byte

// Header is immutable; its hash covers all of it, also the number.
type Header struct {
	ParentHash Hash
	Number     uint64
	Extra      string
}

// Hash returns the hash of the header.
func (h *Header) Hash() Hash {
	buf := append([]byte(nil), h.ParentHash[:]...)
	buf = binary.BigEndian.AppendUint64(buf, h.Number)
	return sha256.Sum256(append(buf, h.Extra...))
}

// database only ever adds headers: those of a side fork are kept, too.
type database struct {
	mu      sync.RWMutex
	numbers map[Hash]uint64
	headers map[Hash]*Header
}

func (db *database) writeHeader(h *Header) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.numbers[h.Hash()] = h.Number
	db.headers[h.Hash()] = h
}

func (db *database) readHeaderNumber(hash Hash) (uint64, bool) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	n, ok := db.numbers[hash]
	return n, ok
}

func (db *database) readHeader(hash Hash) *Header {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return db.headers[hash]
}

// cache drops entries at will.
type cache[V any] struct {
	mu    sync.Mutex
	max   int
	items map[Hash]V
}

func newCache[V any](max int) *cache[V] {
	return &cache[V]{max: max, items: make(map[Hash]V)}
}

func (c *cache[V]) Get(hash Hash) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.items[hash]
	return v, ok
}

func (c *cache[V]) Add(hash Hash, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.items) >= c.max {
		for k := range c.items {
			delete(c.items, k)
			break
		}
	}
	c.items[hash] = v
}

// HeaderChain implements the basic block header chain logic.
type HeaderChain struct {
	chainDb     *database
	numberCache *cache[uint64]
	headerCache *cache[*Header]
}

// NewHeaderChain returns an empty chain.
func NewHeaderChain() *HeaderChain {
	return &HeaderChain{
		chainDb:     &database{numbers: make(map[Hash]uint64), headers: make(map[Hash]*Header)},
		numberCache: newCache[uint64](2048),
		headerCache: newCache[*Header](512),
	}
}

// WriteHeaders is called by the importer.
func (hc *HeaderChain) WriteHeaders(headers []*Header) {
	for _, h := range headers {
		hc.chainDb.writeHeader(h)
		hc.headerCache.Add(h.Hash(), h)
		hc.numberCache.Add(h.Hash(), h.Number)
	}
}

// GetBlockNumber retrieves the block number belonging to the given hash
// from the cache or database. The RPC handlers call it.
func (hc *HeaderChain) GetBlockNumber(hash Hash) (uint64, bool) {
	if cached, ok := hc.numberCache.Get(hash); ok {
		return cached, true
	}
	number, ok := hc.chainDb.readHeaderNumber(hash)
	if ok {
		hc.numberCache.Add(hash, number)
	}
	return number, ok
}

// GetHeader retrieves a block header from the database by hash, caching it if
// found.
func (hc *HeaderChain) GetHeader(hash Hash) *Header {
	// Short circuit if the header's already in the cache, retrieve otherwise
	if header, ok := hc.headerCache.Get(hash); ok {
		return header
	}
	header := hc.chainDb.readHeader(hash)
	if header == nil {
		return nil
	}
	// Cache the found header for next time and return
	hc.headerCache.Add(hash, header)
	return header
}
