// Package regions has what is a region, a method and a shared variable in Go.
package regions

import (
	"sync"
	"sync/atomic"
)

type vars struct {
	mu, other sync.Mutex
	a, b      int
	size      int // never written
	flag      atomic.Bool
	once      sync.Once
}

// Exported methods may run at any time.

func (v *vars) Set() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.a, v.b = 1, 1
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

func (v *vars) getSize() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.size
}

func (v *vars) Calls() int {
	a := v.getA()
	return a + v.getB() // want `method-view: vars.a \(read\) at line 44, and vars.b \(read\) here`
}

func (v *vars) InLine() int {
	v.mu.Lock()
	a := v.a
	v.mu.Unlock()
	v.mu.Lock() // want `method-view: vars.a \(read\) at line 49, and vars.b \(read\) here`
	b := v.b
	v.mu.Unlock()
	return a + b
}

// Regions in two branches come from one process, which is enough.
func (v *vars) Either(x bool) int {
	if x {
		return v.getA()
	}
	return v.getB() // want `method-view: vars.a \(read\) at line 61, and vars.b \(read\) here`
}

// A region inside of another is a part of it.
func (v *vars) Outer() int {
	v.other.Lock()
	defer v.other.Unlock()
	return v.getA() + v.getB()
}

// Also if all callers have it.
func (v *vars) under() int { return v.getA() + v.getB() }

func (v *vars) Caller() int {
	v.other.Lock()
	defer v.other.Unlock()
	return v.under()
}

// A read counts, whatever becomes of it.
func (v *vars) check() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.b < 0 {
		println("negative")
	}
}

func (v *vars) Check() int {
	a := v.getA()
	v.check() // want `method-view: vars.a \(read\) at line \d+, and vars.b \(read\) here`
	return a
}

// What is never written is not shared.
func (v *vars) Size() int { return v.getA() + v.getSize() }

// Atomic operations are no regions.
func (v *vars) Flag() int {
	if v.flag.Swap(true) {
		return 0
	}
	return v.getA()
}

// Nor is what a sync.Once runs.
func (v *vars) Once() int {
	v.once.Do(func() { v.a = 0 })
	return v.getB()
}

// What two literals do comes together where they are called.
func (v *vars) Literals() int {
	get := func() int { return v.getA() }
	x := get()
	get2 := func() int { return v.getB() }
	return x + get2() // want `method-view: vars.a \(read\) at line \d+, and vars.b \(read\) here`
}

// A goroutine is no method, and what it runs is not a part of what starts it. But
// it may take the view of a method apart.

type apart struct {
	mu   sync.Mutex
	a, b int
}

func (p *apart) incA() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.a++
}

func (p *apart) incB() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.b++
}

func Start(p *apart) {
	go func() {
		p.incA()
		p.incB()
	}()
	go p.incA()
	p.incB()
}

type joined struct {
	mu   sync.Mutex
	a, b int
}

func (j *joined) setA() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.a = 1
}

func (j *joined) setB() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.b = 1
}

func (j *joined) SetBoth() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.a, j.b = 0, 0
}

func StartJoined() {
	var wg sync.WaitGroup
	j := new(joined)
	wg.Go(func() {
		j.setA()
		j.setB() // want `method-view: joined.a \(written\) at line \d+, and joined.b \(written\) here, .* of \(\*joined\).SetBoth$`
	})
	wg.Wait()
}

// An object that nobody else knows cannot be taken apart.
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
