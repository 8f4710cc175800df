package main

import (
	"sync"
	"sync/atomic"
)

type gate struct {
	mu   sync.Mutex
	cond *sync.Cond
	open atomic.Bool
}

func newGate() *gate {
	g := new(gate)
	g.cond = sync.NewCond(&g.mu)
	return g
}

func (g *gate) unlock() {
	g.open.Store(true)
	g.cond.Broadcast()
}

func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.open.Load() {
		g.cond.Wait()
	}
}

var door = newGate()

// passGate opens the gate before there is anybody to pass it.
func passGate() {
	door.unlock()
	go door.pass()
}
