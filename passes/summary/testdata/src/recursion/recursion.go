// Package recursion has functions that call themselves and each other. // want package:"summary"
package recursion

import "sync"

type Tree struct {
	mu          sync.Mutex
	left, right *Tree
	n           int
}

// Sum must not go on for ever.
func (t *Tree) Sum() int { // want `: region 0 p0.mu exclusive; region 1 p0.left.mu exclusive; .*result 0 from p0,0`
	if t == nil {
		return 0
	}
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	return n + t.left.Sum() + t.right.Sum()
}

type S struct {
	mu sync.Mutex
	n  int
	m  int
}

// even and odd take the lock in the end, whoever that is.
// known: a recursive function takes locks on some paths only
func (s *S) even(n int) { // want `: acquire p0.mu exclusive$`
	if n == 0 {
		s.mu.Lock()
		return
	}
	s.odd(n - 1)
}

// known: a recursive function takes locks on some paths only
func (s *S) odd(n int) { // want `: acquire p0.mu exclusive$`
	if n == 0 {
		s.mu.Lock()
		return
	}
	s.even(n - 1)
}

// known: a recursive function takes locks on some paths only
func (s *S) Start(n int) { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.even(n)
	s.n++
	s.mu.Unlock()
}

// ping and pong both write n and m.
func (s *S) ping(n int) { // want `write S.n of p0 .*write S.m of p0 `
	if n > 0 {
		s.n = n
		s.pong(n - 1)
	}
}

// known: only the function at which a cycle of calls is entered is computed again
func (s *S) pong(n int) { // want `write S.m of p0 .*write S.n of p0 `
	s.m = n
	s.ping(n)
}

func (s *S) Ping(n int) { // want `: region 0 p0.mu exclusive; .*write S.n of p0 in 0 .*write S.m of p0 in 0 `
	s.mu.Lock()
	s.ping(n)
	s.mu.Unlock()
}

// known: only the function at which a cycle of calls is entered is computed again
func (s *S) Pong(n int) { // want `: region 0 p0.mu exclusive; .*write S.m of p0 in 0 .*write S.n of p0 in 0 `
	s.mu.Lock()
	s.pong(n)
	s.mu.Unlock()
}

// retry gives the lock up and takes it again, in every round.
func (s *S) retry(n int) { // want `: may split p0.mu exclusive`
	if n == 0 {
		return
	}
	s.mu.Unlock()
	s.mu.Lock()
	s.retry(n - 1)
}

func (s *S) Retry() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 1`
	s.mu.Lock()
	n := s.n
	s.retry(3)
	s.n = n + 1
	s.mu.Unlock()
}

// visit calls itself by way of a literal.
func (t *Tree) visit(f func(*Tree)) { // want `calls p1`
	if t == nil {
		return
	}
	t.mu.Lock()
	f(t)
	t.mu.Unlock()
	t.left.visit(f)
	t.right.visit(f)
}

func (t *Tree) Clear() { // want `write Tree.n of (\?|p0.*) in`
	t.visit(func(t *Tree) { t.n = 0 }) // want `: 0 write Tree.n of p0 `
}
