package backend

import "sync"

// txReadBuffer accesses buffered updates.
type txReadBuffer struct {
	buckets map[string][]string
	// bufVersion is used to check if the buffer is modified recently
	bufVersion uint64
}

// unsafeCopy returns a copy of txReadBuffer, caller should acquire backend.readTx.RLock()
func (txr *txReadBuffer) unsafeCopy() txReadBuffer {
	txrCopy := txReadBuffer{
		buckets:    make(map[string][]string, len(txr.buckets)),
		bufVersion: 0,
	}
	for bucketName, bucket := range txr.buckets {
		txrCopy.buckets[bucketName] = append([]string(nil), bucket...)
	}
	return txrCopy
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
	// txWg protects tx from being rolled back at the end of a batch interval until all reads using this tx are done.
	txWg *sync.WaitGroup
}

type concurrentReadTx struct {
	buf  txReadBuffer
	txWg *sync.WaitGroup
}

func (rt *concurrentReadTx) RUnlock() { rt.txWg.Done() }

func (rt *concurrentReadTx) Range(bucket string) []string { return rt.buf.buckets[bucket] }

type backend struct {
	readTx *readTx
	// txReadBufferCache mirrors "txReadBuffer" within "readTx" -- readTx.buf.
	txReadBufferCache txReadBufferCache
}

// writeback is called at the end of a write transaction.
func (b *backend) writeback(bucket string, kvs []string) {
	b.readTx.mu.Lock()
	defer b.readTx.mu.Unlock()
	b.readTx.buf.buckets[bucket] = append(b.readTx.buf.buckets[bucket], kvs...)
	b.readTx.buf.bufVersion++
}

// ConcurrentReadTx creates and returns a new ReadTx, which:
// A) creates and keeps a copy of backend.readTx.txReadBuffer,
// B) references the boltdb read Tx (and its bucket cache) of current batch interval.
func (b *backend) ConcurrentReadTx() *concurrentReadTx {
	b.readTx.mu.RLock()
	defer b.readTx.mu.RUnlock()
	// prevent boltdb read Tx from been rolled back until store read Tx is done. Needs to be called when holding readTx.RLock().
	b.readTx.txWg.Add(1)

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
	// It is safe to not update "txReadBufferCache.buf", because the next following
	// "ConcurrentReadTx" creation will trigger a new "readTx.baseReadTx.buf" copy
	// and "buf" is still used for the current "concurrentReadTx.baseReadTx.buf".
	if isEmptyCache || curCacheVer == b.txReadBufferCache.bufVersion {
		// continue if the cache is never set or no one has modified the cache
		b.txReadBufferCache.buf = buf
		b.txReadBufferCache.bufVersion = curBufVer
	}

	b.txReadBufferCache.mu.Unlock()

	// concurrentReadTx is not supposed to write to its txReadBuffer
	return &concurrentReadTx{
		buf:  *buf,
		txWg: b.readTx.txWg,
	}
}
