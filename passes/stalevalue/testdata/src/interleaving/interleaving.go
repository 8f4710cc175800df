// Package interleaving has splits that only an execution can judge.
package interleaving

import "sync"

// A gate has a level whose absolute value is of concern.
type gate struct {
	mu    sync.Mutex
	level int
}

func (g *gate) Set(n int) {
	g.mu.Lock()
	g.level = n
	g.mu.Unlock()
}

func (g *gate) Get() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.level
}

// Open sets the absolute value, which of whatever level is right.
func (g *gate) Open() {
	if g.Get() < 0 {
		g.mu.Lock()
		n := g.level
		if n < 0 {
			n = -n
		}
		g.level = n
		g.mu.Unlock()
	}
}

// A door has a level that is turned.
type door struct {
	mu    sync.Mutex
	level int
}

func (d *door) Set(n int) {
	d.mu.Lock()
	d.level = n
	d.mu.Unlock()
}

func (d *door) Get() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.level
}

// Turn negates the level that it finds, which need not be negative any more.
func (d *door) Turn() {
	if d.Get() < 0 {
		d.mu.Lock()
		n := d.level
		d.level = -n // want `check-then-act: d.level was checked at line 57, .*`
		d.mu.Unlock()
	}
}

// A dial keeps a limit.
type dial struct {
	mu    sync.Mutex
	level int
}

func (d *dial) Set(n int) {
	d.mu.Lock()
	d.level = n
	d.mu.Unlock()
}

func (d *dial) Get() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.level
}

// Pick writes one of two values that are the same.
func (d *dial) Pick(n int) {
	k := d.Get()
	d.mu.Lock()
	if k > n {
		d.level = n
	} else {
		d.level = n
	}
	d.mu.Unlock()
}
