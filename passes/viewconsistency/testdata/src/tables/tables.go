// Command tables has the examples of C. Artho, K. Havelund, A. Biere, High-level
// data races, for the plain definition: any two views count. What is touched in a
// section is written there, or read; it makes no difference.
package main

import "sync"

// Table I. Example 1: no two are together anywhere.

type ex1 struct {
	mu   sync.Mutex
	x, y int
}

func (s *ex1) a() {
	s.mu.Lock()
	s.x = 1
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 1
	s.mu.Unlock()
}

func (s *ex1) b() {
	s.mu.Lock()
	s.x = 2
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 2
	s.mu.Unlock()
}

// Example 2: together in a, apart in b.

type ex2 struct {
	mu   sync.Mutex
	x, y int
}

func (s *ex2) a() {
	s.mu.Lock()
	s.x = 1
	s.y = 1
	s.mu.Unlock()
}

func (s *ex2) b() {
	s.mu.Lock()
	s.x = 2
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 2 // want `split-write: s\.x at line 49 and s\.y here are written apart, in separate critical sections`
	s.mu.Unlock()
}

// Example 3: a has all of it, but it is one thread only.

type ex3 struct {
	mu   sync.Mutex
	x, y int
}

func (s *ex3) a() {
	s.mu.Lock()
	s.x = 1
	s.y = 1
	s.mu.Unlock()
	s.mu.Lock()
	s.x = 1
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 1
	s.mu.Unlock()
}

func (s *ex3) b() {
	s.mu.Lock()
	s.x = 2
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 2 // want `split-write: s\.x at line 78 and s\.y here are written apart, in separate critical sections`
	s.mu.Unlock()
}

// Two threads of the same kind do disturb each other.
type ex3twice struct {
	mu   sync.Mutex
	x, y int
}

func (s *ex3twice) a() {
	s.mu.Lock()
	s.x = 1
	s.y = 1
	s.mu.Unlock()
	s.mu.Lock()
	s.x = 1
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 1 // want `split-write: s\.x at line 97 and s\.y here are written apart, in separate critical sections`
	s.mu.Unlock()
}

// Example 4: the overlaps are a chain.

type ex4 struct {
	mu      sync.Mutex
	x, y, z int
}

func (s *ex4) a() {
	s.mu.Lock()
	s.x = 1
	s.y = 1
	s.z = 1
	s.mu.Unlock()
}

func (s *ex4) b() {
	s.mu.Lock()
	s.x = 2
	s.y = 2
	s.mu.Unlock()
	s.mu.Lock()
	s.x = 2
	s.mu.Unlock()
}

// Table II. Example 5: c and e.

type ex5 struct {
	mu   sync.Mutex
	x, y int
}

func (s *ex5) c() {
	s.mu.Lock()
	s.x = 1
	s.y = 1
	s.mu.Unlock()
}

func (s *ex5) d() {
	s.mu.Lock()
	s.x = 2
	s.mu.Unlock()
}

func (s *ex5) e() {
	s.mu.Lock()
	s.x = 3
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 3 // want `split-write: s\.x at line 151 and s\.y here are written apart, in separate critical sections, but used together by \(\*ex5\)\.c under ex5\.mu`
	s.mu.Unlock()
}

// Example 6: each takes one.

type ex6 struct {
	mu   sync.Mutex
	x, y int
}

func (s *ex6) c() {
	s.mu.Lock()
	s.x = 1
	s.y = 1
	s.mu.Unlock()
}

func (s *ex6) d() {
	s.mu.Lock()
	s.x = 2
	s.mu.Unlock()
}

func (s *ex6) e() {
	s.mu.Lock()
	s.y = 3
	s.mu.Unlock()
}

// Example 7: a circle, but chains only.

type ex7 struct {
	mu      sync.Mutex
	x, y, z int
}

func (s *ex7) c() {
	s.mu.Lock()
	s.x = 1
	s.y = 1
	s.mu.Unlock()
	s.mu.Lock()
	s.x = 1
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 1
	s.mu.Unlock()
}

func (s *ex7) d() {
	s.mu.Lock()
	s.y = 2
	s.z = 2
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 2
	s.mu.Unlock()
	s.mu.Lock()
	s.z = 2
	s.mu.Unlock()
}

func (s *ex7) e() {
	s.mu.Lock()
	s.z = 3
	s.x = 3
	s.mu.Unlock()
	s.mu.Lock()
	s.z = 3
	s.mu.Unlock()
	s.mu.Lock()
	s.x = 3
	s.mu.Unlock()
}

// Example 8: c has {y,z}, too, which d takes apart, and e has {z,x}, which c
// takes apart. The paper lists the former alone.

type ex8 struct {
	mu      sync.Mutex
	x, y, z int
}

func (s *ex8) c() {
	s.mu.Lock()
	s.x = 1
	s.y = 1
	s.mu.Unlock()
	s.mu.Lock()
	s.x = 1
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 1
	s.z = 1 // want `split-write: s\.x at line 244 and s\.z here are written apart, in separate critical sections, but used together by \(\*ex8\)\.e under ex8\.mu`
	s.mu.Unlock()
}

func (s *ex8) d() {
	s.mu.Lock()
	s.y = 2
	s.z = 2
	s.mu.Unlock()
	s.mu.Lock()
	s.y = 2
	s.mu.Unlock()
	s.mu.Lock()
	s.z = 2 // want `split-write: s\.y at line 258 and s\.z here are written apart, in separate critical sections, but used together by \(\*ex8\)\.c under ex8\.mu`
	s.mu.Unlock()
}

func (s *ex8) e() {
	s.mu.Lock()
	s.z = 3
	s.x = 3
	s.mu.Unlock()
	s.mu.Lock()
	s.z = 3
	s.mu.Unlock()
	s.mu.Lock()
	s.x = 3
	s.mu.Unlock()
}

// Fig. 4: t3 is in conflict with t1, and with t4, which only reads. One report.

type vars struct {
	mu   sync.Mutex
	x, y int
}

func (v *vars) t1() {
	v.mu.Lock()
	v.x, v.y = 1, 2
	v.mu.Unlock()
}

func (v *vars) t2() {
	v.mu.Lock()
	use(v.x)
	v.mu.Unlock()
}

func (v *vars) t3() {
	v.mu.Lock()
	use(v.x)
	v.mu.Unlock()
	v.mu.Lock()
	use(v.y) // want `split-read: v\.x at line 299 and v\.y here are read apart, in separate critical sections`
	v.mu.Unlock()
}

func (v *vars) t4() {
	v.mu.Lock()
	use(v.x)
	v.mu.Unlock()
	v.mu.Lock()
	use(v.x)
	use(v.y)
	v.mu.Unlock()
}

// Fig. 4 without the writer of both: the definition has a conflict between two
// that only read.

type readers struct {
	mu   sync.Mutex
	x, y int
}

func (v *readers) setX() {
	v.mu.Lock()
	v.x = 1
	v.mu.Unlock()
}

func (v *readers) setY() {
	v.mu.Lock()
	v.y = 1
	v.mu.Unlock()
}

func (v *readers) t3() {
	v.mu.Lock()
	use(v.x)
	v.mu.Unlock()
	v.mu.Lock()
	use(v.y) // want `split-read: v\.x at line 338 and v\.y here are read apart, in separate critical sections, but used together by \(\*readers\)\.t4`
	v.mu.Unlock()
}

func (v *readers) t4() {
	v.mu.Lock()
	use(v.x + v.y)
	v.mu.Unlock()
}

// Nested sections with one lock each: a view holds what its lock guards.

type nested struct {
	outer, inner sync.Mutex
	a, b         int
}

func (n *nested) one() {
	n.outer.Lock()
	n.a = 1
	n.inner.Lock()
	n.b = 1
	n.inner.Unlock()
	n.outer.Unlock()
}

func (n *nested) two() {
	n.outer.Lock()
	n.a = 2
	n.outer.Unlock()
	n.inner.Lock()
	n.b = 2
	n.inner.Unlock()
}

// What is never written after it was made takes part in nothing.

type fixed struct {
	mu         sync.Mutex
	size, step int
}

func (f *fixed) both() {
	f.mu.Lock()
	use(f.size + f.step)
	f.mu.Unlock()
}

func (f *fixed) each() {
	f.mu.Lock()
	use(f.size)
	f.mu.Unlock()
	f.mu.Lock()
	use(f.step)
	f.mu.Unlock()
}

func use(n int) { println(n) }

// Goroutines that main starts run once, unless it starts them in a loop.
func main() {
	{
		s := new(ex1)
		go s.a()
		go s.b()
	}
	{
		s := new(ex2)
		go s.a()
		go s.b()
	}
	{
		s := new(ex3)
		go s.a()
		go s.b()
	}
	{
		s := new(ex3twice)
		for range 2 {
			go s.a()
		}
	}
	{
		s := new(ex4)
		go s.a()
		go s.b()
	}
	{
		s := new(ex5)
		go s.c()
		go s.d()
		go s.e()
	}
	{
		s := new(ex6)
		go s.c()
		go s.d()
		go s.e()
	}
	{
		s := new(ex7)
		go s.c()
		go s.d()
		go s.e()
	}
	{
		s := new(ex8)
		go s.c()
		go s.d()
		go s.e()
	}
	{
		s := new(vars)
		go s.t1()
		go s.t2()
		go s.t3()
		go s.t4()
	}
	{
		s := new(readers)
		go s.setX()
		go s.setY()
		go s.t3()
		go s.t4()
	}
	{
		s := new(nested)
		go s.one()
		go s.two()
	}
	{
		s := &fixed{size: 10, step: 2}
		go s.both()
		go s.each()
	}
	elevator()
}
