// Package fix is the write side of a small LSM store.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrNoRoom is returned to writers when the store is closing.
var ErrNoRoom = errors.New("store: no room for write")

const tableLimit = 1 << 20

type table struct {
	size int
	rows map[string][]byte
}

func newTable() *table { return &table{rows: make(map[string][]byte)} }

func (t *table) full() bool { return t.size >= tableLimit }

func (t *table) put(key string, value []byte) {
	t.rows[key] = value
	t.size += len(key) + len(value)
}

// Store buffers writes in memory and flushes full tables in the background.
type Store struct {
	lock      sync.RWMutex
	flushCond *sync.Cond // on lock; told when a table has left frozen
	active    *table
	frozen    []*table

	blockWrites atomic.Int32
	isClosed    atomic.Int32

	writeCh   chan request
	flushCh   chan *table
	stopWrite chan struct{}
	writeDone sync.WaitGroup
	flushDone sync.WaitGroup
	sink      func(*table) error
}

type request struct {
	key   string
	value []byte
	err   chan error
}

// Open starts the writer and the flusher.
func Open(sink func(rows map[string][]byte) error) *Store {
	s := &Store{
		active:    newTable(),
		writeCh:   make(chan request, 64),
		flushCh:   make(chan *table, 4),
		stopWrite: make(chan struct{}),
		sink:      func(t *table) error { return sink(t.rows) },
	}
	s.flushCond = sync.NewCond(&s.lock)
	s.writeDone.Add(1)
	go s.doWrites()
	s.flushDone.Add(1)
	go s.flushTables()
	return s
}

// IsClosed reports whether Close was called.
func (s *Store) IsClosed() bool { return s.isClosed.Load() == 1 }

// Put stores a value. It may block while tables are flushed.
func (s *Store) Put(key string, value []byte) error {
	if s.blockWrites.Load() == 1 {
		return ErrNoRoom
	}
	req := request{key: key, value: value, err: make(chan error, 1)}
	select {
	case s.writeCh <- req:
	case <-s.stopWrite:
		return ErrNoRoom
	}
	select {
	case err := <-req.err:
		return err
	case <-s.stopWrite:
		return ErrNoRoom
	}
}

func (s *Store) doWrites() {
	defer s.writeDone.Done()
	for {
		select {
		case req := <-s.writeCh:
			err := s.ensureRoom()
			if err == nil {
				s.lock.Lock()
				s.active.put(req.key, req.value)
				s.lock.Unlock()
			}
			req.err <- err
		case <-s.stopWrite:
			return
		}
	}
}

// ensureRoom swaps in an empty table when the active one is full.
func (s *Store) ensureRoom() error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if !s.active.full() {
		return nil
	}
	for {
		select {
		case s.flushCh <- s.active:
			s.frozen = append(s.frozen, s.active)
			s.active = newTable()
			return nil
		default:
			if s.blockWrites.Load() == 1 || s.IsClosed() {
				return ErrNoRoom
			}
			s.flushCond.Wait()
		}
	}
}

func (s *Store) flushTables() {
	defer s.flushDone.Done()
	for t := range s.flushCh {
		if err := s.sink(t); err != nil {
			continue
		}
		s.lock.Lock()
		s.frozen = s.frozen[1:]
		s.flushCond.Broadcast()
		s.lock.Unlock()
	}
}

// Close stops the writer and then the flusher.
func (s *Store) Close() {
	s.lock.Lock()
	s.blockWrites.Store(1)
	s.isClosed.Store(1)
	s.flushCond.Broadcast()
	s.lock.Unlock()

	close(s.stopWrite)
	s.writeDone.Wait()
	close(s.flushCh)
	s.flushDone.Wait()
}
