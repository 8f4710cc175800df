// Package fix batches the writes to a key/value file.
package fix

import (
	"maps"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/etcd-06-defrag-readtx/fix/kvdb"
)

// Store is the storage of a server.
type Store struct {
	mu sync.RWMutex // guards db
	db *kvdb.DB

	writes *writeTx
	views  *viewTx
}

// viewTx serves reads from recent writes and, below them, the file.
type viewTx struct {
	mu  sync.RWMutex
	buf map[string]string
	tx  *kvdb.Tx
}

// writeTx collects writes until they are committed.
type writeTx struct {
	sync.Mutex
	store   *Store
	tx      *kvdb.Tx
	pending map[string]string
}

// Unlock makes what was written visible to readers.
func (t *writeTx) Unlock() {
	if len(t.pending) > 0 {
		t.store.views.mu.Lock()
		maps.Copy(t.store.views.buf, t.pending)
		t.store.views.mu.Unlock()
		clear(t.pending)
	}
	t.Mutex.Unlock()
}

// turn needs t to be locked. With stop no new transactions are started.
func (t *writeTx) turn(stop bool) {
	t.store.views.mu.Lock()
	defer t.store.views.mu.Unlock()
	t.turnLocked(stop)
}

// turnLocked needs the reads to be locked, too.
func (t *writeTx) turnLocked(stop bool) {
	if t.store.views.tx != nil {
		t.store.views.tx.Rollback()
		t.store.views.tx = nil
		clear(t.store.views.buf)
	}
	if t.tx != nil {
		t.tx.Commit()
		t.tx = nil
	}
	if !stop {
		t.tx = t.store.open(true)
		t.store.views.tx = t.store.open(false)
	}
}

// Open returns a store on an empty file.
func Open() *Store {
	s := &Store{db: kvdb.Open(), views: &viewTx{buf: make(map[string]string)}}
	s.writes = &writeTx{store: s, pending: make(map[string]string)}
	s.Commit()
	return s
}

func (s *Store) open(write bool) *kvdb.Tx {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.openLocked(write)
}

func (s *Store) openLocked(write bool) *kvdb.Tx {
	tx, err := s.db.Begin(write)
	if err != nil {
		panic(err)
	}
	return tx
}

// Put writes one pair.
func (s *Store) Put(key, value string) {
	s.writes.Lock()
	defer s.writes.Unlock()
	s.writes.tx.Put(key, value)
	s.writes.pending[key] = value
}

// Get reads one pair.
func (s *Store) Get(key string) (string, bool) {
	s.views.mu.RLock()
	defer s.views.mu.RUnlock()
	if v, ok := s.views.buf[key]; ok {
		return v, true
	}
	return s.views.tx.Get(key)
}

// Commit writes everything to the file.
func (s *Store) Commit() {
	s.writes.Lock()
	defer s.writes.Unlock()
	s.writes.turn(false)
}

// Shrink rewrites the file to regain unused space.
func (s *Store) Shrink() {
	s.rewrite()
	s.Commit()
}

func (s *Store) rewrite() {
	s.writes.Lock()
	defer s.writes.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()

	s.views.mu.Lock()
	defer s.views.mu.Unlock()

	s.writes.turnLocked(true)

	fresh := s.db.Rewrite()
	s.db.Close()
	s.db = fresh
	s.writes.tx = s.openLocked(true)
	s.views.tx = s.openLocked(false)
}
