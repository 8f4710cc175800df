// Package ok buffers writes, and shares copies of the buffer among readers.
package ok

import (
	"sync"
)

// txReadBuffer accesses buffered key changes.
type txReadBuffer struct {
	buckets map[string]map[string][]byte
	// bufVersion is used to check if the buffer is modified recently
	bufVersion uint64
}

// unsafeCopy returns a copy of txReadBuffer, caller should acquire backend.readTx.RLock()
func (txr *txReadBuffer) unsafeCopy() txReadBuffer {
	c := txReadBuffer{
		buckets:    make(map[string]map[string][]byte, len(txr.buckets)),
		bufVersion: 0,
	}
	for name, b := range txr.buckets {
		nb := make(map[string][]byte, len(b))
		for k, v := range b {
			nb[k] = v
		}
		c.buckets[name] = nb
	}
	return c
}

func (txr *txReadBuffer) put(bucket, key string, value []byte) {
	b, ok := txr.buckets[bucket]
	if !ok {
		b = make(map[string][]byte)
		txr.buckets[bucket] = b
	}
	b[key] = value
}

type txReadBufferCache struct {
	mu         sync.Mutex
	buf        *txReadBuffer
	bufVersion uint64
}

type readTx struct {
	// mu protects accesses to the txReadBuffer
	mu  sync.RWMutex
	buf txReadBuffer
}

// Write is one change.
type Write struct {
	Bucket, Key string
	Value       []byte
}

// Backend has one writer at a time and many readers.
type Backend struct {
	batchMu sync.Mutex // the write transaction
	pending []Write

	readTx            *readTx
	txReadBufferCache txReadBufferCache
	disk              func(bucket, key string) []byte
	commit            func([]Write)
}

// New returns a backend over the disk.
func New(disk func(bucket, key string) []byte, commit func([]Write)) *Backend {
	return &Backend{
		readTx: &readTx{buf: txReadBuffer{buckets: make(map[string]map[string][]byte)}},
		disk:   disk,
		commit: commit,
	}
}

// Update makes the changes visible at once; they go to the disk later.
func (b *Backend) Update(ws []Write) {
	b.batchMu.Lock()
	defer b.batchMu.Unlock()
	b.pending = append(b.pending, ws...)
	b.readTx.mu.Lock()
	defer b.readTx.mu.Unlock()
	b.writeback(ws)
}

func (b *Backend) writeback(ws []Write) {
	for _, w := range ws {
		b.readTx.buf.put(w.Bucket, w.Key, w.Value)
	}
	b.readTx.buf.bufVersion++
}

// ForceCommit writes to the disk. The buffer keeps what was written.
func (b *Backend) ForceCommit() {
	b.batchMu.Lock()
	defer b.batchMu.Unlock()
	b.commit(b.pending)
	b.pending = nil
}

// ConcurrentReadTx does not block the writer while it is used.
type ConcurrentReadTx struct {
	buf  *txReadBuffer
	disk func(bucket, key string) []byte
}

// Get returns the value of a key.
func (rt *ConcurrentReadTx) Get(bucket, key string) []byte {
	if v, ok := rt.buf.buckets[bucket][key]; ok {
		return v
	}
	return rt.disk(bucket, key)
}

// ConcurrentReadTx creates and returns a new ReadTx with a copy of backend.readTx.buf.
func (b *Backend) ConcurrentReadTx() *ConcurrentReadTx {
	b.readTx.mu.RLock()
	defer b.readTx.mu.RUnlock()

	// inspect/update cache recency iff there's no ongoing update to the cache
	// this falls through if there's no cache update
	b.txReadBufferCache.mu.Lock()

	curCache := b.txReadBufferCache.buf
	curCacheVer := b.txReadBufferCache.bufVersion
	curBufVer := b.readTx.buf.bufVersion

	isEmptyCache := curCache == nil
	isStaleCache := curCacheVer != curBufVer

	var buf *txReadBuffer
	switch {
	case isEmptyCache:
		// perform safe copy of buffer while holding "b.txReadBufferCache.mu.Lock"
		// this is only supposed to run once so there won't be much overhead
		curBuf := b.readTx.buf.unsafeCopy()
		buf = &curBuf
	case isStaleCache:
		// to maximize the concurrency, try unsafe copy of buffer
		// release the lock while copying buffer -- cache may become stale again and
		// get overwritten by someone else.
		// therefore, we need to check the readTx buffer version again
		b.txReadBufferCache.mu.Unlock()
		curBuf := b.readTx.buf.unsafeCopy()
		b.txReadBufferCache.mu.Lock()
		buf = &curBuf
	default:
		// neither empty nor stale cache, just use the current buffer
		buf = curCache
	}
	if isEmptyCache || curCacheVer == b.txReadBufferCache.bufVersion {
		// continue if the cache is never set or no one has modified the cache
		b.txReadBufferCache.buf = buf
		b.txReadBufferCache.bufVersion = curBufVer
	}

	b.txReadBufferCache.mu.Unlock()

	// ConcurrentReadTx is not supposed to write to its txReadBuffer
	return &ConcurrentReadTx{buf: buf, disk: b.disk}
}
