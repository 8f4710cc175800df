// Package fix is a store that keeps all revisions of its keys.
package fix

import (
	"errors"
	"fmt"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/etcd-04-batch-tx/fix/backend"
)

// ErrEnded is returned for transactions that have ended.
var ErrEnded = errors.New("store: transaction has ended")

// Store is safe for concurrent use.
type Store struct {
	b backend.Backend

	mu    sync.RWMutex      // held during transactions
	index map[string]string // backend key of the last revision
	rev   int64
	sub   int64 // changes in this transaction
	tx    backend.Batch

	currentMu sync.Mutex
	current   int64 // odd during transactions
}

// New returns a store over an empty backend.
func New(b backend.Backend) *Store {
	return &Store{b: b, index: make(map[string]string)}
}

// Rev returns the revision of the last transaction that changed something.
func (s *Store) Rev() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rev
}

// Begin waits for the running transaction and begins another one.
func (s *Store) Begin() int64 {
	s.mu.Lock()
	s.sub = 0
	s.tx = s.b.Batch()
	s.tx.Lock()
	s.currentMu.Lock()
	defer s.currentMu.Unlock()
	s.current++
	return s.current
}

// End ends a transaction.
func (s *Store) End(id int64) error {
	s.currentMu.Lock()
	defer s.currentMu.Unlock()
	if id != s.current {
		return ErrEnded
	}
	s.current++
	if s.sub != 0 {
		s.rev++
	}
	s.tx.Unlock()
	s.mu.Unlock()
	return nil
}

// PutIn sets a key.
func (s *Store) PutIn(id int64, key, value string) error {
	s.currentMu.Lock()
	defer s.currentMu.Unlock()
	if id != s.current {
		return ErrEnded
	}
	s.put(key, value)
	return nil
}

// DeleteRange deletes the keys from first to before end.
func (s *Store) DeleteRange(first, end string) int {
	id := s.Begin()
	defer s.End(id)
	return s.deleteRange(first, end)
}

// Rename moves the value of a key to another one.
func (s *Store) Rename(from, to string) {
	id := s.Begin()
	defer s.End(id)
	if v, ok := s.get(from); ok {
		s.remove(from)
		s.put(to, v)
	}
}

// Snapshot returns the contents of the backend with all transactions so far.
func (s *Store) Snapshot() map[string]string {
	s.b.Flush()
	return s.b.Snapshot()
}

func (s *Store) nextRev() string { return fmt.Sprintf("%016x.%08x", s.rev+1, s.sub) }

func (s *Store) get(key string) (string, bool) {
	at, ok := s.index[key]
	if !ok {
		return "", false
	}
	return s.tx.Get(at)[len(key)+1:], true
}

func (s *Store) put(key, value string) {
	at := s.nextRev()
	s.tx.Put(at, key+"="+value)
	s.index[key] = at
	s.sub++
}

func (s *Store) remove(key string) {
	s.tx.Put(s.nextRev(), key)
	delete(s.index, key)
	s.sub++
}

func (s *Store) deleteRange(first, end string) int {
	n := 0
	for k := range s.index {
		if first <= k && k < end {
			s.remove(k)
			n++
		}
	}
	return n
}
