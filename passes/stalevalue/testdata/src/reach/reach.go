// Package reach has what only some functions can reach: objects of unexported
// types, and elements under certain keys.
package reach

import "sync"

// What a hidden type guards with the lock of its owner.

type gate struct{ open bool }

func (g *gate) Close()       { g.open = false }
func (g *gate) IsOpen() bool { return g.open }

type Yard struct {
	mu   sync.Mutex
	gate gate
	n    int
}

func (y *Yard) Shut() {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.gate.Close()
	y.n = 0
}

func (y *Yard) isOpen() bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.gate.IsOpen()
}

func (y *Yard) Enter() {
	if y.isOpen() {
		y.mu.Lock()
		y.n = 1 // want `check-then-act: y\.gate\.open was checked at line 34, but y\.mu was released when isOpen returned`
		y.mu.Unlock()
	}
}

// A type that others have values of: who knows what they call.

type Door struct{ open bool }

func (d *Door) Close()       { d.open = false }
func (d *Door) IsOpen() bool { return d.open }

type House struct {
	mu   sync.Mutex
	door Door
	n    int
}

func (h *House) Door() *Door { return &h.door }

func (h *House) Shut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.door.Close()
	h.n = 0
}

func (h *House) isOpen() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.door.IsOpen()
}

func (h *House) Enter() {
	if h.isOpen() {
		h.mu.Lock()
		h.n = 1
		h.mu.Unlock()
	}
}

// Elements of elements, under the fields of a key that is passed by value.

type point struct{ x, y int }

type board struct {
	mu    sync.Mutex
	moves [8][8]int
}

func (b *board) get(p point) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.moves[p.x][p.y]
}

func (b *board) set(p point, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moves[p.x][p.y] = n
}

func (b *board) Improve(p point, n int) {
	if n < b.get(p) {
		b.set(p, n) // want `check-then-act: b\.moves\[p\.x\]\[p\.y\] was checked`
	}
}

func (b *board) Other(p, q point, n int) {
	if n < b.get(p) {
		b.set(q, n)
	}
}

func (b *board) Mirror(p point, n int) {
	if n < b.get(p) {
		b.set(point{p.y, p.x}, n)
	}
}
