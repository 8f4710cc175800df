// Package inferred has no directives: its sets are what one lock guards.
package inferred

import "sync"

// A flag that is only ever set may be found set when one looks again.
type Gate struct {
	mu     sync.Mutex
	closed bool
}

func (g *Gate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

func (g *Gate) Closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

func (g *Gate) Shut() {
	if !g.Closed() {
		g.Close()
	}
}

// One that is taken back may not.
type Door struct {
	mu   sync.Mutex
	open int
}

func (d *Door) Set(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = n
}

func (d *Door) Open() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

func (d *Door) Widen() {
	d.Set(d.Open() + 1) // want `inferred-set: .*R\(open\) W'\(open\) W\(open\)`
}

// What is in a table that nothing is taken out of stays there.
type Names struct {
	mu sync.Mutex
	m  map[string]int
}

func (n *Names) Add(k string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.m[k]; !ok {
		n.m[k] = len(n.m)
	}
}

func (n *Names) Number(k string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.m[k]
}

func (n *Names) Has(k string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, ok := n.m[k]
	return ok
}

func (n *Names) Find(k string) (int, bool) {
	i := n.Number(k)
	return i, n.Has(k)
}
