// Package ok reads from tables in memory that are flushed to disk.
package ok

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrNotFound is returned for unknown keys.
var ErrNotFound = errors.New("key not found")

const tableLimit = 1000

// table is a memory table in an arena that is given back with the last
// reference.
type table struct {
	ref     atomic.Int32
	release func()

	mu   sync.RWMutex
	rows map[string][]byte
}

func newTable(release func()) *table {
	t := &table{rows: make(map[string][]byte), release: release}
	t.ref.Store(1)
	return t
}

// incrRef needs a reference, or the lock of the store while t is in it.
func (t *table) incrRef() { t.ref.Add(1) }

func (t *table) decrRef() {
	if t.ref.Add(-1) > 0 {
		return
	}
	t.rows = nil
	t.release()
}

func (t *table) get(key string) ([]byte, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.rows[key]
	return v, ok
}

func (t *table) put(key string, value []byte) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows[key] = value
	return len(t.rows)
}

// Disk holds flushed rows.
type Disk interface {
	Get(key string) ([]byte, error)
	Write(rows map[string][]byte) error
}

// Store has one table for writing and some that wait to be flushed.
type Store struct {
	disk    Disk
	release func()
	writeCh chan row
	flushCh chan *table
	wg      sync.WaitGroup

	mu  sync.RWMutex
	mt  *table
	imm []*table // oldest first
}

type row struct {
	key   string
	value []byte
	done  chan struct{}
}

// Open starts the writer and the flusher.
func Open(disk Disk, release func()) *Store {
	s := &Store{
		disk:    disk,
		release: release,
		writeCh: make(chan row, 100),
		flushCh: make(chan *table, 5),
		mt:      newTable(release),
	}
	s.wg.Add(2)
	go s.doWrites()
	go s.flushTables()
	return s
}

// Put stores a value.
func (s *Store) Put(key string, value []byte) {
	r := row{key, value, make(chan struct{})}
	s.writeCh <- r
	<-r.done
}

// doWrites is the only code that writes to tables and replaces mt.
func (s *Store) doWrites() {
	defer s.wg.Done()
	defer close(s.flushCh)
	for r := range s.writeCh {
		s.mu.RLock()
		mt := s.mt
		s.mu.RUnlock()
		n := mt.put(r.key, r.value)
		close(r.done)
		if n < tableLimit {
			continue
		}
		s.mu.Lock()
		s.imm = append(s.imm, mt)
		s.mt = newTable(s.release)
		s.mu.Unlock()
		s.flushCh <- mt
	}
}

// flushTables writes full tables to disk in their order.
func (s *Store) flushTables() {
	defer s.wg.Done()
	for t := range s.flushCh {
		// Nobody writes to t any more.
		for s.disk.Write(t.rows) != nil {
		}
		s.mu.Lock()
		s.imm = s.imm[1:]
		s.mu.Unlock()
		t.decrRef() // the reference of imm
	}
}

// tables returns all tables, newest first, with a reference for the caller.
func (s *Store) tables() (all []*table, done func()) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.mt.incrRef()
	all = append(all, s.mt)
	for i := len(s.imm) - 1; i >= 0; i-- {
		s.imm[i].incrRef()
		all = append(all, s.imm[i])
	}
	return all, func() {
		for _, t := range all {
			t.decrRef()
		}
	}
}

// Get returns the newest value.
func (s *Store) Get(key string) ([]byte, error) {
	all, done := s.tables()
	defer done()
	for _, t := range all {
		if v, ok := t.get(key); ok {
			return append([]byte(nil), v...), nil
		}
	}
	// Rows are on disk before their table leaves imm.
	return s.disk.Get(key)
}

// Close ends the writer and the flusher. There must be no Put any more.
func (s *Store) Close() {
	close(s.writeCh)
	s.wg.Wait()
}
