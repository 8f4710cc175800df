// Package mvcc is a multi version key value store over a batching backend.
package mvcc

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand"
	"sort"
	"sync"
	"time"
)

var ErrTxnIDMismatch = errors.New("mvcc: txn id mismatch")

// IgnoreKey names a key that is left out of the hash.
type IgnoreKey struct {
	Bucket string
	Key    string
}

type batchTx struct {
	sync.Mutex
	pending map[string]map[string][]byte
	n       int
	backend *backend
}

// UnsafePut must be called holding the lock on the tx.
func (t *batchTx) UnsafePut(bucket, key string, value []byte) {
	b := t.pending[bucket]
	if b == nil {
		b = make(map[string][]byte)
		t.pending[bucket] = b
	}
	b[key] = value
	t.n++
}

// Unlock commits the batch when it has grown enough.
func (t *batchTx) Unlock() {
	if t.n >= t.backend.batchLimit {
		t.commit()
	}
	t.Mutex.Unlock()
}

// Commit commits a previous tx and begins a new writable one.
func (t *batchTx) Commit() {
	t.Mutex.Lock()
	t.commit()
	t.Mutex.Unlock()
}

func (t *batchTx) commit() {
	t.backend.mu.Lock()
	for bucket, kvs := range t.pending {
		if t.backend.db[bucket] == nil {
			t.backend.db[bucket] = make(map[string][]byte)
		}
		for k, v := range kvs {
			t.backend.db[bucket][k] = v
		}
	}
	t.backend.mu.Unlock()
	t.pending = make(map[string]map[string][]byte)
	t.n = 0
}

type backend struct {
	mu sync.RWMutex
	db map[string]map[string][]byte

	batchInterval time.Duration
	batchLimit    int
	batchTx       *batchTx

	stopc chan struct{}
	donec chan struct{}
}

func newBackend(interval time.Duration, limit int) *backend {
	b := &backend{
		db:            make(map[string]map[string][]byte),
		batchInterval: interval,
		batchLimit:    limit,
		stopc:         make(chan struct{}),
		donec:         make(chan struct{}),
	}
	b.batchTx = &batchTx{backend: b, pending: make(map[string]map[string][]byte)}
	go b.run()
	return b
}

func (b *backend) BatchTx() *batchTx { return b.batchTx }

// ForceCommit commits the current batching tx.
func (b *backend) ForceCommit() { b.batchTx.Commit() }

func (b *backend) run() {
	defer close(b.donec)
	t := time.NewTimer(b.batchInterval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-b.stopc:
			b.batchTx.Commit()
			return
		}
		b.batchTx.Commit()
		t.Reset(b.batchInterval)
	}
}

// Hash returns the checksum of everything that has been committed.
func (b *backend) Hash(ignores map[IgnoreKey]struct{}) (uint32, error) {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	b.mu.RLock()
	defer b.mu.RUnlock()
	buckets := make([]string, 0, len(b.db))
	for name := range b.db {
		buckets = append(buckets, name)
	}
	sort.Strings(buckets)
	for _, name := range buckets {
		h.Write([]byte(name))
		keys := make([]string, 0, len(b.db[name]))
		for k := range b.db[name] {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			if _, ok := ignores[IgnoreKey{Bucket: name, Key: k}]; ok {
				continue
			}
			h.Write([]byte(k))
			h.Write(b.db[name][k])
		}
	}
	return h.Sum32(), nil
}

type revision struct {
	main int64
	sub  int64
}

type store struct {
	mu sync.Mutex // guards the following

	b          *backend
	currentRev revision
	tx         *batchTx
	txnID      int64
}

func NewStore(interval time.Duration, limit int) *store {
	return &store{b: newBackend(interval, limit), currentRev: revision{main: 1}}
}

func (s *store) TxnBegin() int64 {
	s.mu.Lock()
	s.currentRev.sub = 0
	s.tx = s.b.BatchTx()
	s.tx.Lock()
	s.txnID = rand.Int63()
	return s.txnID
}

func (s *store) TxnEnd(txnID int64) error {
	if txnID != s.txnID {
		return ErrTxnIDMismatch
	}
	s.tx.Unlock()
	if s.currentRev.sub != 0 {
		s.currentRev.main++
	}
	s.currentRev.sub = 0
	s.mu.Unlock()
	return nil
}

// Put stores the value under the next revision.
func (s *store) Put(key, value []byte) int64 {
	id := s.TxnBegin()
	rev := s.currentRev.main + 1
	s.put(key, value)
	_ = s.TxnEnd(id)
	return rev
}

func (s *store) put(key, value []byte) {
	ibytes := make([]byte, 16)
	binary.BigEndian.PutUint64(ibytes, uint64(s.currentRev.main+1))
	binary.BigEndian.PutUint64(ibytes[8:], uint64(s.currentRev.sub))
	s.tx.UnsafePut("key", string(ibytes), append(append([]byte(nil), key...), value...))
	s.currentRev.sub++
}

// Hash returns the hash of the store together with the revision it belongs to.
// Members compare the two to find out whether their data has diverged.
func (s *store) Hash() (uint32, int64, error) {
	s.b.ForceCommit()

	s.mu.Lock()
	defer s.mu.Unlock()

	// ignore hash consistent index field for now.
	// consistent index might be changed due to v2 internal sync, which
	// is not controllable by the user.
	ignores := map[IgnoreKey]struct{}{{Bucket: "meta", Key: "consistent_index"}: {}}
	h, err := s.b.Hash(ignores)
	rev := s.currentRev.main
	return h, rev, err
}

func (s *store) Close() error {
	close(s.b.stopc)
	<-s.b.donec
	return nil
}
