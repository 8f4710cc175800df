package storage

import (
	"sort"
	"sync"
	"time"
)

// batchTx collects changes; its methods need the lock.
type batchTx struct {
	sync.Mutex
	be      *backend
	buckets map[string]map[string][]byte
	pending int
}

// backend commits the transaction every interval.
type backend struct {
	tx      *batchTx
	stopc   chan struct{}
	donec   chan struct{}
	commit  func(buckets map[string]map[string][]byte)
	release func() error
}

func newBackend(interval time.Duration, commit func(map[string]map[string][]byte), release func() error) *backend {
	b := &backend{
		stopc:   make(chan struct{}),
		donec:   make(chan struct{}),
		commit:  commit,
		release: release,
	}
	b.tx = &batchTx{be: b, buckets: make(map[string]map[string][]byte)}
	go b.run(interval)
	return b
}

// BatchTx returns the transaction.
func (b *backend) BatchTx() *batchTx { return b.tx }

// ForceCommit commits the transaction now.
func (b *backend) ForceCommit() {
	b.tx.Lock()
	defer b.tx.Unlock()
	b.tx.commit()
}

func (b *backend) run(interval time.Duration) {
	defer close(b.donec)
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			b.ForceCommit()
		case <-b.stopc:
			return
		}
	}
}

// Close ends the commits and releases the file.
func (b *backend) Close() error {
	close(b.stopc)
	<-b.donec
	b.tx.Lock()
	defer b.tx.Unlock()
	b.tx.buckets = nil
	return b.release()
}

func (t *batchTx) commit() {
	if t.pending > 0 {
		t.be.commit(t.buckets)
		t.pending = 0
	}
}

func (t *batchTx) bucket(name string) map[string][]byte {
	if t.buckets == nil {
		panic("storage: tx on closed backend")
	}
	m, ok := t.buckets[name]
	if !ok {
		m = make(map[string][]byte)
		t.buckets[name] = m
	}
	return m
}

func (t *batchTx) UnsafePut(bucket string, key, value []byte) {
	t.bucket(bucket)[string(key)] = value
	t.pending++
}

func (t *batchTx) UnsafeRange(bucket string, key, end []byte, limit int) (keys [][]byte, vals [][]byte) {
	m := t.bucket(bucket)
	if end == nil {
		if v, ok := m[string(key)]; ok {
			return [][]byte{key}, [][]byte{v}
		}
		return nil, nil
	}
	var all []string
	for k := range m {
		if k >= string(key) && k < string(end) {
			all = append(all, k)
		}
	}
	sort.Strings(all)
	for i := 0; i < len(all) && i < limit; i++ {
		keys = append(keys, []byte(all[i]))
		vals = append(vals, m[all[i]])
	}
	return keys, vals
}

func (t *batchTx) UnsafeDelete(bucket string, key []byte) {
	delete(t.bucket(bucket), string(key))
	t.pending++
}
