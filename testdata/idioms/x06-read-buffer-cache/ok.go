// Package ok serves reads from a copy of the write buffer.
package ok

import "sync"

type txReadBuffer struct {
	data map[string]string
	// bufVersion is incremented whenever the buffer changes
	bufVersion uint64
}

func (b *txReadBuffer) unsafeCopy() txReadBuffer {
	m := make(map[string]string, len(b.data))
	for k, v := range b.data {
		m[k] = v
	}
	return txReadBuffer{data: m}
}

type txReadBufferCache struct {
	mu         sync.Mutex
	buf        *txReadBuffer
	bufVersion uint64
}

// Backend is safe for concurrent use.
type Backend struct {
	mu  sync.RWMutex // guards buf
	buf txReadBuffer

	cache txReadBufferCache
}

// ReadTx is a read-only view.
type ReadTx struct{ buf *txReadBuffer }

// Get reads a key.
func (t *ReadTx) Get(key string) (string, bool) {
	v, ok := t.buf.data[key]
	return v, ok
}

// Put changes the buffer.
func (b *Backend) Put(key, val string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.data[key] = val
	b.buf.bufVersion++
}

// ConcurrentReadTx creates and returns a new ReadTx.
func (b *Backend) ConcurrentReadTx() *ReadTx {
	b.mu.RLock()
	defer b.mu.RUnlock()

	// inspect/update cache recency iff there's no ongoing update to the cache
	// this falls through if there's no cache update
	b.cache.mu.Lock()
	curCache := b.cache.buf
	curCacheVer := b.cache.bufVersion
	curBufVer := b.buf.bufVersion

	isEmptyCache := curCache == nil
	isStaleCache := curCacheVer != curBufVer

	checkingNewBuf := true
	switch {
	case isEmptyCache:
		// perform safe copy of buffer while holding "b.cache.mu.Lock"
		curBuf := b.buf.unsafeCopy()
		b.cache.buf = &curBuf
		checkingNewBuf = false
		curCache = &curBuf
	case isStaleCache:
		// to maximize the concurrency, try unsafe copy of buffer: release the
		// lock while copying -- cache may become stale again and get
		// overwritten by someone else, therefore, we need to check the
		// recency of cache again.
		b.cache.mu.Unlock()
		baseBuf := b.buf.unsafeCopy()
		b.cache.mu.Lock()
		curCache = &baseBuf
	default:
		// safe to ignore, no change to the buffer since the last copy
		checkingNewBuf = false
	}
	if checkingNewBuf {
		// cache was stale: only update it if nobody else has done so
		if b.cache.bufVersion == curCacheVer {
			b.cache.buf = curCache
			b.cache.bufVersion = curBufVer
		}
	} else if isEmptyCache {
		b.cache.bufVersion = curBufVer
	}
	b.cache.mu.Unlock()
	return &ReadTx{buf: curCache}
}
