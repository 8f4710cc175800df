package shutdowns

import (
	"sync"
	"sync/atomic"
)

// A Gate is shut, and waits until the last one who is in has left: a helper asks for the count.
type Gate struct {
	shut  atomic.Bool
	in    atomic.Int64
	once  sync.Once
	empty chan struct{}
}

// Enter counts after the last one may have left.
func (g *Gate) Enter() bool {
	if g.shut.Load() {
		return false
	}
	g.in.Add(1) // want `check-then-act: g.shut was checked at line \d+, but the atomic operations are separate and another goroutine may set it, and find that g.in is zero, before this write of that`
	return true
}

// EnterFirst counts first.
func (g *Gate) EnterFirst() bool {
	g.in.Add(1)
	if g.shut.Load() {
		g.Leave()
		return false
	}
	return true
}

func (g *Gate) Leave() {
	g.in.Add(-1)
	g.settle()
}

func (g *Gate) settle() {
	if g.shut.Load() && g.in.Load() == 0 {
		g.once.Do(func() { close(g.empty) })
	}
}

func (g *Gate) Shut() {
	if !g.shut.CompareAndSwap(false, true) {
		return
	}
	g.settle()
	<-g.empty
}
