// Package confined has pairs that are read apart in the goroutine that writes them, as a
// field that is written without a lock shows, beside those where it shows nothing.
package confined

import "sync"

// window is moved by one goroutine: it counts the moves with no lock. Others look at the
// sum.
type window struct {
	mu     sync.Mutex
	lo, hi int
	moves  int
}

func (w *window) Move(by int) {
	w.moves++
	w.mu.Lock()
	w.lo += by
	w.hi += by
	w.mu.Unlock()
}

func (w *window) Shift() { w.shift() }

func (w *window) shift() int {
	w.moves++
	w.mu.Lock()
	lo := w.lo
	w.mu.Unlock()
	w.mu.Lock()
	hi := w.hi
	w.mu.Unlock()
	return hi - lo
}

// Sum is for everybody.
func (w *window) Sum() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lo + w.hi
}

// New returns a window, which users share.
func New() *window { return &window{} }

// door is the same, but the two that write count under the lock.
type door struct {
	mu     sync.Mutex
	lo, hi int
	moves  int
}

func (d *door) Move(by int) {
	d.mu.Lock()
	d.moves++
	d.lo += by
	d.hi += by
	d.mu.Unlock()
}

func (d *door) Span() int {
	d.mu.Lock()
	d.moves++
	lo := d.lo
	d.mu.Unlock()
	d.mu.Lock()
	hi := d.hi // want `split-read: d\.lo at line \d+ and d\.hi here are read apart`
	d.mu.Unlock()
	return hi - lo
}

// NewDoor returns a door, which users share.
func NewDoor() *door { return &door{} }

// others has the count in the reader alone: the writer belongs to another goroutine.
type others struct {
	mu     sync.Mutex
	lo, hi int
	looks  int
}

func (o *others) Move(by int) {
	o.mu.Lock()
	o.lo += by
	o.hi += by
	o.mu.Unlock()
}

func (o *others) Span() int {
	o.looks++
	o.mu.Lock()
	lo := o.lo
	o.mu.Unlock()
	o.mu.Lock()
	hi := o.hi // want `split-read: o\.lo at line \d+ and o\.hi here are read apart`
	o.mu.Unlock()
	return hi - lo
}

// NewOthers returns an object that users share.
func NewOthers() *others { return &others{} }
