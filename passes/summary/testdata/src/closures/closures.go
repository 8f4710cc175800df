// Package closures runs function literals under locks. // want package:"summary"
package closures

import "sync"

type S struct {
	mu sync.Mutex
	n  int
	m  map[string]int
	on func()
}

func (s *S) withLock(f func()) { // want `: region 0 p0.mu exclusive; calls p1 in 0$`
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *S) Inc() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.withLock(func() { s.n++ }) // want `: 0 write S.n of f0 .*; entered with f0.mu exclusive$`
}

func (s *S) Method() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.withLock(s.inc)
}

func (s *S) inc() { s.n++ } // want `: 0 write S.n of p0 .*; entered with (p0|\?S).mu exclusive$`

// through hands the function on.
func (s *S) through(f func()) bool { s.withLock(f); return true } // want `: region 0 p0.mu exclusive; calls p1 in 0$`

func (s *S) IncThrough() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.through(func() { s.n++ }) // want `: 0 write S.n of f0 .*; entered with f0.mu exclusive$`
}

// IncTwice runs one literal twice: no value goes from one run to the other.
// known: the values of a literal that runs twice are taken for one another
func (s *S) IncTwice() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*from 2; 1 write S.n of p0 in 1 .*from 3; 2 read S.n of p0 in 0; 3 read S.n of p0 in 1`
	inc := func() { s.n++ } // want `: 0 write S.n of f0 .*; entered with f0.mu exclusive$`
	s.withLock(inc)
	s.withLock(inc)
}

// Copy hands a value from one literal to the next.
func (s *S) Copy() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 1`
	n := 0
	s.withLock(func() { n = s.n })     // want `entered with f1.mu exclusive$`
	s.withLock(func() { s.n = n + 1 }) // want `: 0 write S.n of f0 .*; entered with f0.mu exclusive$`
}

func (s *S) update(k string, f func(int) int) { // want `: region 0 p0.mu exclusive; 0 write S.m\[p1\] of p0 in 0 .*from p1,p2,\d; .*read S.m\[p1\] of p0 in 0 .*; calls p2 in 0$`
	s.mu.Lock()
	s.m[k] = f(s.m[k])
	s.mu.Unlock()
}

func (s *S) Double(k string) { // want `: region 0 p0.mu exclusive; 0 write S.m\[p1\] of p0 in 0 .*from p1,\d; .*read S.m\[p1\] of p0 in 0 `
	s.update(k, func(v int) int { return 2 * v }) // want `result 0 from p0; entered with \S+ exclusive$`
}

// Literals that are called or deferred.

func (s *S) CallLiteral() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 .*; 1 write S.n of p0 pure`
	func() { // want `: region 0 f0.mu exclusive; 0 write S.n of f0 in 0 `
		s.mu.Lock()
		defer s.mu.Unlock()
		s.n++
	}()
	s.n = 2
}

func (s *S) CallLiteralInLoop() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	for range 3 {
		func() { // want `: region 0 f0.mu exclusive; 0 write S.n of f0 in 0 `
			s.mu.Lock()
			defer s.mu.Unlock()
			s.n++
		}()
	}
}

func (s *S) DeferLiteral() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 .*; . read S.n of p0 in 0 owned$`
	s.mu.Lock()
	defer func() { // want `: release f0.mu exclusive; region 0 f0.mu exclusive of the caller; 0 write S.n of f0 in 0 `
		s.n--
		s.mu.Unlock()
	}()
	s.n++
}

func (s *S) DeferIf(locked bool) { // want `: 0 write S.n of p0 pure`
	if !locked {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	s.n++
}

// DeferLiteralIf returns with the lock held if it is to keep it.
func (s *S) DeferLiteralIf(keep bool) { // want `: may acquire p0.mu exclusive; region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.mu.Lock()
	defer func() { // want `: may release f1.mu exclusive`
		if !keep {
			s.mu.Unlock()
		}
	}()
	s.n++
}

func DeferInLoop(list []*S) { // want `: region 0 p0\[\S+\].mu exclusive; 0 write S.n of p0\[\S+\] in 0 `
	for _, s := range list {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.n++
	}
}

func (s *S) Variable() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	unlock := func() { s.mu.Unlock() } // want `: release f0.mu exclusive`
	s.mu.Lock()
	s.n++
	unlock()
}

// Literals that run at another time: not under the lock.

func (s *S) Go() { // want `; starts goroutines$`
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n = 1
	go func() { s.n++ }() // want `: 0 write S.n of f0 [^;]*(; 1 read S.n of f0 owned)?$`
}

func (s *S) Keep() { // want `: region 0 p0.mu exclusive; 0 write S.on of p0 in 0 `
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = func() { s.n++ } // want `: 0 write S.n of f0 [^;]*(; 1 read S.n of f0 owned)?$`
}

func (s *S) KeepByCallee(o *S) { // want `: region 0 p0.mu exclusive; region 1 p1.mu exclusive; 0 write S.on of p1 in 0,1 `
	s.mu.Lock()
	defer s.mu.Unlock()
	o.keeps(func() { s.n++ }) // want `: 0 write S.n of f0 [^;]*(; 1 read S.n of f0 owned)?$`
}

// known: only what a function starts itself counts as started, or one of another package
func (s *S) GoByCallee(o *S) { // want `starts goroutines`
	s.mu.Lock()
	defer s.mu.Unlock()
	o.spawns(func() { s.n++ }) // want `: 0 write S.n of f0 [^;]*(; 1 read S.n of f0 owned)?$`
}

// Literals whose effect on locks a callee passes on.

func (s *S) LockInLiteral(o *S) { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	o.withLock(func() { s.mu.Lock() }) // want `: acquire f0.mu exclusive`
	s.n++
	o.withLock(func() { s.mu.Unlock() }) // want `: release f0.mu exclusive`
}

func do(f func()) { f() } // want `: calls p0`

func (s *S) LockInPlainLiteral() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	do(func() { s.mu.Lock() }) // want `: acquire f0.mu exclusive`
	s.n++
	s.mu.Unlock()
}

func (s *S) IncInPlainLiteral() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.mu.Lock()
	do(func() { s.n++ }) // want `: 0 write S.n of f0 .*; entered with f0.mu exclusive$`
	s.mu.Unlock()
}

func (s *S) IncLockedInPlainLiteral() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	do(func() { // want `: region 0 f0.mu exclusive; 0 write S.n of f0 in 0 [^;]*; 1 read S.n of f0 in 0 owned$`
		s.mu.Lock()
		s.n++
		s.mu.Unlock()
	})
}

// What becomes of functions that are parameters.

func (s *S) spawns(f func()) { go f() } // want `: spawns p1`

func (s *S) calls(f, g func()) { // want `: region 0 p0.mu exclusive; calls p1; calls p2 in 0$`
	f()
	s.mu.Lock()
	g()
	s.mu.Unlock()
}

func (s *S) keeps(f func()) { // want `; keeps p1`
	s.mu.Lock()
	s.on = f
	s.mu.Unlock()
}

// Functions that are returned.

func (s *S) unlocker() func() { // want `: acquire p0.mu exclusive; `
	s.mu.Lock()
	return func() { s.mu.Unlock() } // want `: release f0.mu exclusive`
}

func (s *S) DeferUnlocker() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	defer s.unlocker()()
	s.n++
}

// Method values.

// known: a method of a lock that is used as a value does nothing
func (s *S) MethodValue() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.mu.Lock()
	unlock := s.mu.Unlock
	s.n++
	unlock()
}

// known: a method of a lock that is used as a value does nothing
func (s *S) DeferMethodValue() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	lock, unlock := s.mu.Lock, s.mu.Unlock
	lock()
	defer unlock()
	s.n++
}

// known: a method of a lock that is used as a value does nothing
func (s *S) MethodExpression() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	(*sync.Mutex).Lock(&s.mu)
	s.n++
	(*sync.Mutex).Unlock(&s.mu)
}
