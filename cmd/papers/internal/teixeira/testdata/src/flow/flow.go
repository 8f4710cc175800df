// Package flow has what is an atom in Go, and when two are consecutive.
package flow

import (
	"strings"
	"sync"
	"sync/atomic"
)

type vars struct {
	mu    sync.Mutex
	other sync.RWMutex
	cond  *sync.Cond
	a, b  int
	flag  atomic.Bool
	text  strings.Builder
}

// Exported methods may run at any time.

func (v *vars) SetBoth() {
	v.mu.Lock()
	v.a, v.b = 1, 1
	v.mu.Unlock()
}

func (v *vars) SetFlag() {
	v.mu.Lock()
	v.flag.Store(true)
	v.mu.Unlock()
}

func (v *vars) getA() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.a
}

func (v *vars) getB() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.b
}

func (v *vars) touch() {
	v.mu.Lock()
	defer v.mu.Unlock()
}

// What is not in an atom does not count.
func (v *vars) Between() int {
	a := v.getA()
	println(a, v.flag.Load())
	return a + v.getB() // want `RwR: vars.a is read at line \d+`
}

// Another atom does, even an empty one.
func (v *vars) Apart() int {
	a := v.getA()
	v.touch()
	return a + v.getB()
}

// On one of two ways there is none.
func (v *vars) Way(x bool) int {
	a := v.getA()
	if x {
		v.touch()
	}
	return a + v.getB() // want `RwR: vars.a is read at line \d+`
}

// Only one of the two is executed.
func (v *vars) Either(x bool) int {
	if x {
		return v.getA()
	}
	return v.getB()
}

// The loops are left after one round, at their heads.
func (v *vars) Loops(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum += v.getA()
	}
	for sum > 0 {
		for range n {
			sum -= v.getB() // want `RwR: vars.a is read at line \d+`
		}
		sum--
	}
	v.touch()
	return sum
}

// In line, and under locks that may be shared.
func (v *vars) InLine() int {
	v.other.RLock()
	a := v.a
	v.other.RUnlock()
	v.mu.Lock() // want `RwR: vars.a is read at line \d+ \(by \(\*vars\).InLine\) and vars.b here \(by \(\*vars\).InLine\)`
	b := v.b
	v.mu.Unlock()
	return a + b
}

// An outer lock makes one atom of two.
func (v *vars) Outer() int {
	v.other.Lock()
	defer v.other.Unlock()
	return v.getA() + v.getB()
}

// So does one that all callers hold.
func (v *vars) under() int { return v.getA() + v.getB() }

func (v *vars) Caller() int {
	v.other.Lock()
	defer v.other.Unlock()
	return v.under()
}

// Waiting ends no atom.
func (v *vars) Wait() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	a := v.a
	v.cond.Wait()
	return a + v.b
}

// Methods that lock and unlock.

func (v *vars) lock()   { v.mu.Lock() }
func (v *vars) unlock() { v.mu.Unlock() }

func (v *vars) Wrapped() int {
	v.lock()
	a := v.a
	v.unlock()
	v.lock() // want `RwR: vars.a is read at line \d+`
	b := v.b
	v.unlock()
	return a + b
}

func (v *vars) Once() int {
	v.lock()
	defer v.unlock()
	return v.a + v.b
}

// Deferred calls come last.
func (v *vars) Deferred(x bool) {
	defer v.getB() // want `RwR: vars.a is read at line \d+`
	if x {
		defer v.touch()
	}
	v.getA()
}

// The two come together two calls up.
func (v *vars) first() int  { return v.getA() }
func (v *vars) second() int { return v.getB() }

func (v *vars) Calls() int {
	return v.first() + v.second() // want `RwR: vars.a .* \(by \(\*vars\).getA\) and vars.b here \(by \(\*vars\).getB\)`
}

// Literals are called where they stand.
func (v *vars) Literal() int {
	a := func() int { return v.getA() }()
	return a + func() int { return v.getB() }() // want `RwR: vars.a is read at line \d+`
}

// What another goroutine does is not in the trace.
func (v *vars) Spawn() {
	v.getA()
	go v.getB()
}

// Recursion ends.
func (v *vars) Recurse(n int) {
	if n > 0 {
		v.getA()
		v.Recurse(n - 1)
		v.getB() // want `RwR: vars.a is read at line \d+`
	}
}

// Calls of the library do not write.
func (v *vars) Append() {
	v.mu.Lock()
	v.text.WriteString("x")
	v.mu.Unlock()
}

func (v *vars) Library() int {
	v.Append()
	return v.getA()
}

// An atomic operation is no atom.
func (v *vars) Atomic() int {
	v.flag.Store(v.flag.Load())
	return v.getA()
}

// In an atom an atomic operation is an access.
func (v *vars) Flag() int {
	v.mu.Lock()
	flag := v.flag.Load()
	v.mu.Unlock()
	if flag {
		return v.getA() // want `RwR: vars.flag is read at line \d+ .* written by \(\*vars\).SetFlag$`
	}
	return 0
}

// An object that nobody else knows has no threats, nor fields.
func New() *vars {
	v := new(vars)
	v.mu.Lock()
	v.a = 1
	v.mu.Unlock()
	v.mu.Lock()
	v.b = 1
	v.mu.Unlock()
	return v
}

// Two locks, one of which is taken first and given up first.
func (v *vars) Chain() int {
	v.mu.Lock()
	a := v.a
	v.other.Lock()
	v.mu.Unlock()
	b := v.b
	v.other.Unlock()
	return a + b
}
