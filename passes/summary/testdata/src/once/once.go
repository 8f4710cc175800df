// Package once does things once. What a sync.Once runs is construction. // want package:"summary"
package once

import "sync"

type S struct {
	once sync.Once
	mu   sync.Mutex
	conn *int
	n    int
	load func() int
	hook func()
}

func (s *S) Conn() *int { // want `: region 0 p0.once once; 0 write S.conn of p0 in 0 once fills; 1 read S.conn of p0; `
	s.once.Do(func() { s.conn = new(int) }) // want `: 0 write S.conn of f0 fills; entered with f0.once once; constructs$`
	return s.conn
}

func (s *S) Method() { // want `: region 0 p0.once once; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*once.*; 1 write S.n of p0 in 1 `
	s.once.Do(s.init)
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (s *S) init() { s.n = 1 } // want `; entered with \S+ once; constructs$`

func (s *S) useValue() { // want `write S.load of p0`
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load = sync.OnceValue(s.compute)
}

// A function that takes a lock shares what it writes with others that take it.
func (s *S) compute() int { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 .*; entered with \S+ once$`
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n = 2
	return s.n
}

func (s *S) useFunc() { // want `write S.hook of p0`
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook = sync.OnceFunc(func() { s.n = 3 }) // want `write S.n of f0 .*; constructs$`
}

// A literal that is handed to others is not run while the object is being made.

func (s *S) onChange(f func()) { // want `: region 0 p0.mu exclusive; 0 write S.hook of p0 in 0 .*; keeps p1$`
	s.mu.Lock()
	s.hook = f
	s.mu.Unlock()
}

// What a literal does that runs at once is construction, too.
func newHere() *S { // want `result 0 fresh`
	s := new(S)
	func() { // want `: (constructs)?$`
		s.mu.Lock()
		s.n++
		s.mu.Unlock()
	}()
	return s
}

func newS(o *S) *S { // want `region 0 p0.mu exclusive; `
	s := new(S)
	// known: an object that is captured by a literal given to a callee is not published
	o.onChange(func() { // want `: region 0 f0.mu exclusive; 0 write S.n of f0 in 0 `
		s.mu.Lock()
		s.n++
		s.mu.Unlock()
	})
	return s
}
