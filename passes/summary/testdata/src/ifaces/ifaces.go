// Package ifaces calls methods of interfaces. // want package:"summary"
package ifaces

import "sync"

// store has one implementation, and can have no other: its methods are not
// exported.
type store interface {
	put(k string)
	lock()
	unlock()
}

type memory struct {
	mu sync.Mutex
	m  map[string]int
}

// known: a function without locks that mentions no field which one with locks mentions is left out
func (m *memory) put(k string) { m.m[k]++ } // want `: 0 write memory.m\[p1\] of p0 `

func (m *memory) lock() { m.mu.Lock() } // want `: acquire p0.mu exclusive$`

func (m *memory) unlock() { m.mu.Unlock() } // want `: release p0.mu exclusive`

type user struct{ s store }

// known: the one implementation of an interface that no other package can implement is only one that may be meant
func (u *user) Put(k string) { // want `: region 0 p0.s.mu exclusive; 0 write memory.m\[p1\] of p0.s in 0 `
	u.s.lock()
	u.s.put(k)
	u.s.unlock()
}

// counter has two: what either does may happen.
type counter interface{ Inc() }

type a struct {
	mu sync.Mutex
	n  int
}

func (x *a) Inc() { // want `: region 0 p0.mu exclusive; 0 write a.n of p0 in 0 `
	x.mu.Lock()
	x.n++
	x.mu.Unlock()
}

type b struct{ n int }

// known: a function without locks that mentions no field which one with locks mentions is left out
func (x *b) Inc() { x.n++ } // want `: 0 write b.n of p0 `

// known: a function without locks that mentions no field which one with locks mentions is left out
func Count(c counter) { // want `: region 0 p0.mu exclusive; 0 write a.n of p0 in 0 .*; 1 write b.n of p0 pure`
	c.Inc()
}

// locked has two, of which one locks.
type locked interface{ take() }

func (x *a) take() { x.mu.Lock() } // want `: acquire p0.mu exclusive$`

func (x *b) take() {}

func Take(l locked) { // want `: may acquire p0.mu exclusive$`
	l.take()
}

// many has more implementations than are followed.
type many interface{ m() }

type m1 struct {
	mu sync.Mutex
	n  int
}

type (
	m2 struct{ m1 }
	m3 struct{ m1 }
	m4 struct{ m1 }
	m5 struct{ m1 }
)

func (x *m1) m() { x.mu.Lock(); x.n++; x.mu.Unlock() } // want `: region 0 p0.mu exclusive; 0 write m1.n of p0 in 0 `

func (x *m2) m() { x.mu.Lock(); x.n++; x.mu.Unlock() } // want `: region 0 p0.m1.mu exclusive; 0 write m1.n of p0.m1 in 0 `

func (x *m3) m() { x.mu.Lock(); x.n++; x.mu.Unlock() } // want `: region 0 p0.m1.mu exclusive; `

func (x *m4) m() { x.mu.Lock(); x.n++; x.mu.Unlock() } // want `: region 0 p0.m1.mu exclusive; `

func (x *m5) m() { x.mu.Lock(); x.n++; x.mu.Unlock() } // want `: region 0 p0.m1.mu exclusive; `

func Many(x many, mu *sync.Mutex) { // want `: $`
	mu.Lock()
	x.m()
	mu.Unlock()
}

// A sync.Locker is a lock, whatever implements it.

func locker(l sync.Locker, x *m1) { // want `: region 0 p0 exclusive; 0 write m1.n of p1 in 0 `
	l.Lock()
	x.n++
	l.Unlock()
}

func UseLocker(x *m1) { // want `: region 0 p0.mu exclusive; 0 write m1.n of p0 in 0 `
	locker(&x.mu, x)
}
