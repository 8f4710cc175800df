// Package stock is a store of article counts. Writes are collected by one
// goroutine, logged, and put into tables in memory.
package stock

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrBlocked = errors.New("stock: writes are blocked")
	ErrNoRoom  = errors.New("stock: no room for writes")
)

const (
	tableSize = 1024 // articles in one table
	maxFrozen = 4    // tables that wait for the flusher
)

// Change is the new count of an article.
type Change struct {
	Article string
	Count   int
}

// Log makes changes durable.
type Log interface {
	Write(changes []Change) error
}

// Sink takes the tables that are full.
type Sink interface {
	Save(table map[string]int)
}

type request struct {
	changes []Change
	err     error
	done    chan struct{}
}

// Store is safe for concurrent use.
type Store struct {
	log  Log
	sink Sink
	pub  *publisher

	blocked atomic.Bool

	smu    sync.RWMutex // held for reading while a request is sent to writeC
	writeC chan *request
	wg     sync.WaitGroup

	mu     sync.RWMutex
	active map[string]int
	frozen []map[string]int // newest last
	saved  map[string]int   // what the sink has
	flushC chan map[string]int
}

// Open starts a store.
func Open(log Log, sink Sink) *Store {
	s := &Store{
		log:    log,
		sink:   sink,
		pub:    newPublisher(),
		writeC: make(chan *request, 64),
		active: make(map[string]int),
		saved:  make(map[string]int),
		flushC: make(chan map[string]int, maxFrozen),
	}
	s.wg.Add(2)
	go s.writeLoop()
	go s.flushLoop()
	return s
}

// Get returns the count of an article.
func (s *Store) Get(article string) (int, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if n, ok := s.active[article]; ok {
		return n, true
	}
	for i := len(s.frozen) - 1; i >= 0; i-- {
		if n, ok := s.frozen[i][article]; ok {
			return n, true
		}
	}
	n, ok := s.saved[article]
	return n, ok
}

// Set writes changes. When it returns without an error they can be seen by
// everybody.
func (s *Store) Set(changes ...Change) error {
	if len(changes) == 0 {
		return nil
	}
	r := &request{changes: append([]Change(nil), changes...), done: make(chan struct{})}
	s.smu.RLock()
	if s.blocked.Load() {
		s.smu.RUnlock()
		return ErrBlocked
	}
	s.writeC <- r
	s.smu.RUnlock()
	<-r.done
	return r.err
}

// Watch calls fn, from a goroutine of the store, with all changes. When fn is
// called, Get returns the counts that it is called with or later ones. It must
// not write, nor change what it gets. Watch returns a function that ends the
// calls.
func (s *Store) Watch(fn func([]Change)) (cancel func()) {
	return s.pub.add(fn)
}

func (s *Store) writeLoop() {
	defer s.wg.Done()
	defer close(s.flushC)
	for r := range s.writeC {
		batch := []*request{r}
	more:
		for len(batch) < cap(s.writeC) {
			select {
			case r, ok := <-s.writeC:
				if !ok {
					break more
				}
				batch = append(batch, r)
			default:
				break more
			}
		}
		s.write(batch)
	}
}

// write logs and applies the requests of a batch and answers them.
func (s *Store) write(batch []*request) {
	fail := func(err error) {
		for _, r := range batch {
			r.err = err
			close(r.done)
		}
	}
	var changes []Change
	for _, r := range batch {
		changes = append(changes, r.changes...)
	}
	if err := s.log.Write(changes); err != nil {
		fail(err)
		return
	}

	s.pub.publish(changes)

	for len(batch) > 0 {
		r := batch[0]
		err := s.makeRoom()
		for try := 0; err == ErrNoRoom && try < 500; try++ {
			// The flusher needs the lock to make room.
			time.Sleep(10 * time.Millisecond)
			err = s.makeRoom()
		}
		if err != nil {
			fail(err)
			return
		}
		s.apply(r.changes)
		close(r.done)
		batch = batch[1:]
	}
}

// makeRoom replaces the active table if it is full.
func (s *Store) makeRoom() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.active) < tableSize {
		return nil
	}
	select {
	case s.flushC <- s.active:
		s.frozen = append(s.frozen, s.active)
		s.active = make(map[string]int)
		return nil
	default:
		return ErrNoRoom
	}
}

func (s *Store) apply(changes []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		s.active[c.Article] = c.Count
	}
}

// flushLoop saves the frozen tables, oldest first.
func (s *Store) flushLoop() {
	defer s.wg.Done()
	for t := range s.flushC {
		s.sink.Save(t)
		s.mu.Lock()
		for a, n := range t {
			s.saved[a] = n
		}
		s.frozen = s.frozen[1:]
		s.mu.Unlock()
	}
}

// Close ends the store after the writes that were accepted.
func (s *Store) Close() {
	s.smu.Lock()
	if s.blocked.Swap(true) {
		s.smu.Unlock()
		return
	}
	close(s.writeC)
	s.smu.Unlock()
	s.wg.Wait()
	s.pub.close()
}
