package memo

import (
	"os"
	"sync/atomic"
)

type sum struct {
	key  string
	n    int
	hits int
}

// Sums keeps the last sum.
type Sums struct {
	last, raw, dirty, newest, other atomic.Pointer[sum]
}

func add(key string) (n int) {
	for _, c := range key {
		n += int(c)
	}
	return n
}

// Of compares the key: another entry costs its owner a computation.
func (s *Sums) Of(key string) int {
	if e := s.last.Load(); e != nil && e.key == key {
		return e.n
	}
	e := &sum{key: key, n: ask(key)}
	s.last.Store(e)
	return e.n
}

// Count uses the entry whatever its key is: the count of another goroutine is lost.
func (s *Sums) Count(key string) int {
	e := s.raw.Load()
	hits := 0
	if e != nil {
		hits = e.hits + 1
		if e.key == key {
			return e.n
		}
	}
	e = &sum{key: key, n: ask(key), hits: hits}
	s.raw.Store(e) // want `s.raw was read`
	return e.n
}

// Redo has an entry that Void changes.
func (s *Sums) Redo(key string) int {
	if e := s.dirty.Load(); e != nil && e.key == key {
		return e.n
	}
	e := &sum{key: key, n: ask(key)}
	s.dirty.Store(e) // want `s.dirty was checked`
	return e.n
}

// Void puts an entry of another kind.
func (s *Sums) Void(key string) { s.dirty.Store(&sum{key: key, n: -1}) }

// ask has an answer that may be another one the next time.
func ask(key string) int { return add(key) + os.Getpid() }

// Advance keeps the entry with the greatest number: a smaller one may come over it.
func (s *Sums) Advance(key string, n int) {
	if e := s.newest.Load(); e != nil && e.n >= n {
		return
	}
	s.newest.Store(&sum{key: key, n: n}) // want `s.newest was checked`
}

// Other compares what the entry does not have.
func (s *Sums) Other(key string) int {
	if e := s.other.Load(); e != nil && e.key == key {
		return e.n
	}
	e := &sum{n: ask(key)}
	s.other.Store(e) // want `s.other was checked`
	return e.n
}
