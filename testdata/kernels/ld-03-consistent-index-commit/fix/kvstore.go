package etcdserver

import (
	"encoding/binary"
	"sync"
	"time"
)

var consistentIndexKeyName = "consistent_index"

type disk interface{ Write(batch map[string][]byte) }

// backend buffers writes in a batch transaction that is committed periodically.
type backend struct {
	mu      sync.Mutex // lock of the batch tx
	pending map[string][]byte
	db      disk
	stopc   chan struct{}
	donec   chan struct{}
}

func newBackend(db disk, batchInterval time.Duration) *backend {
	b := &backend{
		pending: make(map[string][]byte),
		db:      db,
		stopc:   make(chan struct{}),
		donec:   make(chan struct{}),
	}
	go b.run(batchInterval)
	return b
}

func (b *backend) run(batchInterval time.Duration) {
	defer close(b.donec)
	t := time.NewTicker(batchInterval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-b.stopc:
			b.ForceCommit()
			return
		}
		b.ForceCommit()
	}
}

// ForceCommit forces the current batching tx to commit.
func (b *backend) ForceCommit() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.db.Write(b.pending)
	b.pending = make(map[string][]byte)
}

func (b *backend) unsafePut(key string, value []byte) { b.pending[key] = value }

func (b *backend) Close() {
	close(b.stopc)
	<-b.donec
}

// consistentIndexGetter is an interface that wraps the Get method.
// Consistent index is the offset of an entry in a consistent replicated log.
type consistentIndexGetter interface {
	// ConsistentIndex returns the consistent index of current executing entry.
	ConsistentIndex() uint64
}

type store struct {
	mu  sync.Mutex
	ig  consistentIndexGetter
	b   *backend
	rev int64
}

func newStore(b *backend, ig consistentIndexGetter) *store {
	return &store{b: b, ig: ig, rev: 1}
}

func (s *store) Put(key, value []byte) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	s.saveIndex()
	s.b.unsafePut(string(key), value)
	s.rev++
	return s.rev
}

func (s *store) Rev() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rev
}

func (s *store) Commit() {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.b.mu.Lock()
	s.saveIndex()
	s.b.mu.Unlock()
	s.b.ForceCommit()
}

func (s *store) saveIndex() {
	if s.ig == nil {
		return
	}
	bs := make([]byte, 8)
	binary.BigEndian.PutUint64(bs, s.ig.ConsistentIndex())
	// put the index into the underlying backend
	// tx has been locked, so there is no need to lock it again
	s.b.unsafePut(consistentIndexKeyName, bs)
}
