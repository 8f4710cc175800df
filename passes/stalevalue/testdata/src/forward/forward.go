// Package forward has functions that only call another one, with their own parameters: a call of one of them is a call of
// the other.
package forward

import (
	"context"
	"errors"
	"sync"
)

// Store is used by way of forwarders, one behind the other.
type Store struct {
	mu sync.Mutex
	m  map[string]int
}

func (s *Store) Get(k string) (int, bool) { return s.get(k) }
func (s *Store) get(k string) (int, bool) { return s.lookUp(k) }

func (s *Store) lookUp(k string) (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.m[k]
	return v, ok
}

func (s *Store) Put(k string, v int) { s.put(k, v) }
func (s *Store) put(k string, v int) { s.insert(k, v) }

func (s *Store) insert(k string, v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = v
}

// Claim finds no distance between itself and the store.
func (s *Store) Claim(k string, dial func() int) bool {
	if _, ok := s.Get(k); ok {
		return false
	}
	s.Put(k, dial()) // want `check-then-act: s\.m\[k\] was checked at line 38`
	return true
}

// Names gives the map away, by a forwarder.
func (s *Store) All() map[string]int { return s.all() }

func (s *Store) all() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m // want `escape-ref: s\.m was taken at line 51 under s\.mu and is returned here`
}

// Meter has one goroutine, of its user: a service loop that is started by a forwarder.
type Meter struct {
	mu   sync.Mutex
	n    int
	tick chan int
}

func (m *Meter) Run(ctx context.Context) error { return m.run(ctx) }

func (m *Meter) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case d := <-m.tick:
			m.set(m.Value() + d)
		}
	}
}

func (m *Meter) Value() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

func (m *Meter) set(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n = n
}

// Slot has a lock that is a channel. Who takes it is a forwarder's target, and has a helper that gives it back.
type Slot struct {
	sem chan struct{}
	n   int
}

func NewSlot() *Slot { return &Slot{sem: make(chan struct{}, 1)} }

func (s *Slot) leave() { <-s.sem }

func (s *Slot) Add(d int) { s.add(d) }

func (s *Slot) add(d int) {
	s.sem <- struct{}{}
	defer s.leave()
	s.n += d
}

func (s *Slot) N() int { return s.count() }

func (s *Slot) count() int {
	s.sem <- struct{}{}
	defer s.leave()
	return s.n
}

func (s *Slot) Double() {
	n := s.N()
	s.Add(-n)
	s.Set(n) // want `lost-update: s\.n was read at line 113`
}

func (s *Slot) Set(n int) {
	s.sem <- struct{}{}
	defer s.leave()
	s.n = n
}

// A forwarder with a promise is a function of its own.
type Log struct {
	mu sync.Mutex
	n  int
}

// Append must not be called by several goroutines at once: it is not safe for concurrent use.
func (l *Log) Append() { l.grow() }

func (l *Log) grow() {
	n := l.size()
	l.mu.Lock()
	l.n = n + 1
	l.mu.Unlock()
}

func (l *Log) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

var errClosed = errors.New("closed")

// Scheduler books what a book allows.
type Scheduler struct {
	mu     sync.Mutex
	closed bool
	book   *Book
}

type Book struct {
	mu   sync.Mutex
	used int
}

func (b *Book) allows(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used+n <= 100
}

func (b *Book) take(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += n
}

func (b *Book) Give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}

func (s *Scheduler) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Submit decides by the book, and launch by the scheduler: that is no second decision.
func (s *Scheduler) Submit(n int, prepare func()) error {
	if !s.admits(n) {
		return errors.New("too much")
	}
	prepare()
	return s.launch(n) // want `check-then-act: s\.book\.used was checked at line 186`
}

func (s *Scheduler) admits(n int) bool { return n > 0 && s.book.allows(n) }

func (s *Scheduler) launch(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.book.take(n)
	return nil
}
