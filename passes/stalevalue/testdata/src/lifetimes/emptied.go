package lifetimes

import (
	"errors"
	"sync"
	"sync/atomic"
)

// A Barn has an object that is taken out and emptied when it is closed. That an element is not there, and
// what a count says, tells nothing of that.
type Barn struct{ goods atomic.Pointer[goods] }

type goods struct {
	mu     sync.Mutex
	crates map[string]*Crate
	weight int
}

type Crate struct{ weight int }

func (c *Crate) unload() {}

func (d *Barn) Open() { d.goods.Store(&goods{crates: make(map[string]*Crate)}) }

func (d *Barn) clear() {
	g := d.goods.Swap(nil)
	if g == nil {
		return
	}
	g.mu.Lock()
	crates := g.crates
	g.crates = nil
	g.weight = 0
	g.mu.Unlock()
	for _, c := range crates {
		c.unload()
	}
}

var errFull, errShut = errors.New("full"), errors.New("shut")

func (d *Barn) Store(name string, c *Crate) error {
	g := d.goods.Load()
	if g == nil {
		return errShut
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.crates[name]; ok {
		return nil
	}
	if g.weight+c.weight > 1000 {
		return errFull
	}
	g.weight += c.weight
	g.crates[name] = c // want `check-then-act: d\.goods was found at line \d+; \(\*Barn\)\.clear .* may take it out and read goods\.crates for the last time in between`
	return nil
}

// StoreOpen asks for the map itself.
func (d *Barn) StoreOpen(name string, c *Crate) error {
	g := d.goods.Load()
	if g == nil {
		return errShut
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.crates == nil {
		return errShut
	}
	if _, ok := g.crates[name]; !ok {
		g.weight += c.weight
		g.crates[name] = c
	}
	return nil
}

// Replace puts a crate where it has found one: there is none in a closed one.
func (d *Barn) Replace(name string, c *Crate) {
	g := d.goods.Load()
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if old, ok := g.crates[name]; ok {
		g.weight += c.weight - old.weight
		g.crates[name] = c
	}
}

func (d *Barn) Sell() { d.clear() }
