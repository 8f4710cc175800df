// Package split has functions that give up a lock of their caller. What was // want package:"summary"
// read before and what is written after them is not in one passage.
package split

import "sync"

type S struct {
	mu   sync.Mutex
	n    int
	gap  int
	work func()
}

// release gives it up for good.
func (s *S) release() { // want `: release p0.mu exclusive; region 0 p0.mu exclusive of the caller; 0 write S.n of p0 in 0 `
	s.n++
	s.mu.Unlock()
}

func (s *S) Released() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*; 1 write S.n of p0 in 1 `
	s.mu.Lock()
	s.release()
	s.mu.Lock()
	s.n = 2
	s.mu.Unlock()
}

// yield gives it up and takes it again, and so do those after it.
func (s *S) yield() { // want `: split p0.mu exclusive`
	s.mu.Unlock()
	s.work()
	s.mu.Lock()
}

func (s *S) yieldDeferred() { // want `: split p0.mu exclusive`
	s.mu.Unlock()
	defer s.mu.Lock()
	s.work()
}

func (s *S) yieldIfBusy(busy bool) { // want `: may split p0.mu exclusive`
	if busy {
		s.mu.Unlock()
		s.work()
		s.mu.Lock()
	}
}

func (s *S) yieldOrReturn(busy bool) { // want `: may split p0.mu exclusive`
	if !busy {
		return
	}
	s.mu.Unlock()
	defer s.mu.Lock()
	s.work()
}

// known: a conditional deferred lock is not matched with the unlock beside it
func (s *S) yieldDeferredIfBusy(busy bool) { // want `: may split p0.mu exclusive`
	if busy {
		s.mu.Unlock()
		defer s.mu.Lock()
	}
	s.work()
}

func (s *S) yieldInLoop(busy int) { // want `: may split p0.mu exclusive`
	for range busy {
		s.mu.Unlock()
		s.work()
		s.mu.Lock()
	}
}

func (s *S) yieldInLiteral() { // want `: split p0.mu exclusive`
	s.mu.Unlock()
	func() { // want `: acquire f0.mu exclusive`
		defer s.mu.Lock()
		s.work()
	}()
}

// through does so by what it calls.
func (s *S) through() bool { s.yield(); return true } // want `: split p0.mu exclusive`

func (s *S) throughBranch(busy bool) { // want `: may split p0.mu exclusive`
	if busy {
		s.yield()
	}
}

func (s *S) mayRelease(busy bool) { // want `: may release p0.mu exclusive`
	if busy {
		s.mu.Unlock()
	}
}

func (s *S) closing() bool { // want `: release p0.mu exclusive if result 0 is true`
	if s.n < 0 {
		s.mu.Unlock()
		return true
	}
	return false
}

// Callers: region 0 is where S.n is written, region 1 where it is read.

func (s *S) NotYielding() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 0 `
	s.mu.Lock()
	n := s.n
	s.n = n + 1
	s.mu.Unlock()
}

func (s *S) Yielding() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 1`
	s.mu.Lock()
	n := s.n
	s.yield()
	s.n = n + 1
	s.mu.Unlock()
}

func (s *S) YieldingDeferred() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 1`
	s.mu.Lock()
	n := s.n
	s.yieldDeferred()
	s.n = n + 1
	s.mu.Unlock()
}

func (s *S) YieldingIfBusy(busy bool) { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 1`
	s.mu.Lock()
	n := s.n
	s.yieldIfBusy(busy)
	s.n = n + 1
	s.mu.Unlock()
}

func (s *S) YieldingOrReturning(busy bool) { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 1`
	s.mu.Lock()
	n := s.n
	s.yieldOrReturn(busy)
	s.n = n + 1
	s.mu.Unlock()
}

// known: a conditional deferred lock is not matched with the unlock beside it
func (s *S) YieldingDeferredIfBusy(busy bool) { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 1`
	s.mu.Lock()
	n := s.n
	s.yieldDeferredIfBusy(busy)
	s.n = n + 1
	s.mu.Unlock()
}

func (s *S) YieldingInLoop(busy int) { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 1`
	s.mu.Lock()
	n := s.n
	s.yieldInLoop(busy)
	s.n = n + 1
	s.mu.Unlock()
}

func (s *S) YieldingInLiteral() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 1`
	s.mu.Lock()
	n := s.n
	s.yieldInLiteral()
	s.n = n + 1
	s.mu.Unlock()
}

func (s *S) YieldingThrough(busy bool) { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; .*0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 1`
	s.mu.Lock()
	n := s.n
	s.through()
	s.throughBranch(busy)
	s.n = n + 1
	s.mu.Unlock()
}

// YieldingOther gives up the lock of another object: n is read and written in
// one passage.
func (s *S) YieldingOther(o *S) { // want `: region 0 p0.mu exclusive; .*0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 0`
	s.mu.Lock()
	n := s.n
	o.mu.Lock()
	o.yield()
	o.mu.Unlock()
	s.n = n + 1
	s.mu.Unlock()
}

func (s *S) Closing() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.mu.Lock()
	if s.closing() {
		return
	}
	s.n = 1
	s.mu.Unlock()
}

// MayBeReleased gives up nothing of its caller's.
// known: a lock that a callee may give up is not even held on some paths, and its release taken for that of a caller's
func (s *S) MayBeReleased(busy bool) { // want `: $`
	s.mu.Lock()
	s.mayRelease(busy)
	if !busy {
		s.mu.Unlock()
	}
}

// What a callee does while it has given the lock up is in no region.

func (s *S) yieldAndWrite() { // want `: split p0.mu exclusive; 0 write S.gap of p0 pure`
	s.mu.Unlock()
	s.gap = 1
	s.mu.Lock()
}

// known: what a callee does while it has given up a lock of its caller counts as done under that
func (s *S) WritingInGap() { // want `write S.gap of p0 pure`
	s.mu.Lock()
	s.n = 1
	s.yieldAndWrite()
	s.n = 2
	s.mu.Unlock()
}
