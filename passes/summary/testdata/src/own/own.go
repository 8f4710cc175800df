// Package own has locks of its own. // want package:"summary"
package own

import "sync/atomic"

// spin is a lock by its methods.
type spin struct{ state atomic.Int32 }

func (l *spin) Lock() { // want `update spin.state of p0`
	for !l.state.CompareAndSwap(0, 1) {
	}
}

func (l *spin) Unlock() { l.state.Store(0) } // want `write spin.state of p0`

func (l *spin) TryLock() bool { return l.state.CompareAndSwap(0, 1) } // want `update spin.state of p0`

type S struct {
	mu spin
	n  int
}

func (s *S) Inc() { // want `region 1 p0.mu exclusive; .*write S.n of p0 in 1 `
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (s *S) IncDeferred() { // want `region 1 p0.mu exclusive; .*write S.n of p0 in 1 `
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
}

func (s *S) TryInc() bool { // want `region 1 p0.mu exclusive; .*write S.n of p0 in 1 `
	if !s.mu.TryLock() {
		return false
	}
	s.n++
	s.mu.Unlock()
	return true
}

// rw is a lock of which only the methods are known.
type rw interface {
	Lock()
	Unlock()
	RLock()
	RUnlock()
}

type T struct {
	mu rw
	n  int
}

func (t *T) Inc() { // want `: region 0 p0.mu exclusive; 0 write T.n of p0 in 0 `
	t.mu.Lock()
	t.n++
	t.mu.Unlock()
}

func (t *T) Get() int { // want `: region 0 p0.mu shared; .* read T.n of p0 in 0; `
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.n
}

// account has a method Lock, but is no lock.
type account interface {
	Lock() string
	Unlock() string
}

type U struct {
	acc account
	n   int
}

func (u *U) Inc() { // want `: 0 write U.n of p0 `
	u.acc.Lock()
	u.n++
	u.acc.Unlock()
}
