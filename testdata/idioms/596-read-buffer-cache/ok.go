// Package ok is a key value backend that batches its writes.
package ok

import (
	"maps"
	"sync"
)

// readBuffer holds the writes of the current batch, for those who read.
type readBuffer struct {
	m       map[string]string
	version uint64 // grows with each write
}

func (b *readBuffer) unsafeCopy() map[string]string { return maps.Clone(b.m) }

// readTx is what readers see; mu protects the fields.
type readTx struct {
	mu        sync.RWMutex
	buf       readBuffer
	committed map[string]string // not changed, replaced on commit
}

// bufferCache holds a copy of the read buffer as it was at a version.
type bufferCache struct {
	mu      sync.Mutex
	buf     map[string]string
	version uint64
}

// Backend is safe for concurrent use.
type Backend struct {
	readTx readTx

	// cache mirrors readTx.buf, so that a ReadTx need not copy it if it has not
	// changed since the last one.
	cache bufferCache

	batchMu sync.Mutex // serializes the writes, taken before readTx.mu
	limit   int
}

// New returns an empty backend.
func New(limit int) *Backend {
	return &Backend{limit: limit, readTx: readTx{
		buf:       readBuffer{m: make(map[string]string), version: 1},
		committed: make(map[string]string),
	}}
}

// Put writes a key.
func (b *Backend) Put(key, value string) {
	b.batchMu.Lock()
	defer b.batchMu.Unlock()
	b.readTx.mu.Lock()
	b.readTx.buf.m[key] = value
	b.readTx.buf.version++
	full := len(b.readTx.buf.m) >= b.limit
	b.readTx.mu.Unlock()
	if full {
		b.commit()
	}
}

// commit is called with batchMu held.
func (b *Backend) commit() {
	b.readTx.mu.RLock()
	next := maps.Clone(b.readTx.committed)
	maps.Copy(next, b.readTx.buf.m)
	b.readTx.mu.RUnlock()

	b.readTx.mu.Lock()
	defer b.readTx.mu.Unlock()
	b.readTx.committed = next
	b.readTx.buf.m = make(map[string]string)
	b.readTx.buf.version++
}

// ReadTx is a view of the backend at one time.
type ReadTx struct {
	buf, committed map[string]string
}

// ConcurrentReadTx returns a view that does not block those who write.
func (b *Backend) ConcurrentReadTx() *ReadTx {
	b.readTx.mu.RLock()
	defer b.readTx.mu.RUnlock()

	// by this line, the read buffer is protected against concurrent writes, so
	// a copy of it is guaranteed to be up-to-date, whereas the cache may be
	// stale.
	b.cache.mu.Lock()
	cacheVer := b.cache.version
	bufVer := b.readTx.buf.version

	var buf map[string]string
	if cacheVer == bufVer {
		buf = b.cache.buf
	} else {
		// to maximize the concurrency, release the lock while copying the buffer
		// -- the cache may get overwritten by someone else.
		b.cache.mu.Unlock()
		buf = b.readTx.buf.unsafeCopy()
		b.cache.mu.Lock()
		// it is safe to not update the cache, buf is still used for this view.
		if b.cache.version == cacheVer {
			b.cache.buf = buf
			b.cache.version = bufVer
		}
	}
	b.cache.mu.Unlock()
	return &ReadTx{buf: buf, committed: b.readTx.committed}
}

// Get returns the value of a key.
func (tx *ReadTx) Get(key string) string {
	if v, ok := tx.buf[key]; ok {
		return v
	}
	return tx.committed[key]
}
