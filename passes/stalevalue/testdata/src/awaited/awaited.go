// Package awaited has functions that wait until something holds, and act on it in a later critical section.
package awaited

import (
	"sync"
	"time"
)

// A Budget is shared by those who wait for room.
type Budget struct {
	limit int

	mu    sync.Mutex
	freed *sync.Cond
	used  int
}

func NewBudget(limit int) *Budget {
	b := &Budget{limit: limit}
	b.freed = sync.NewCond(&b.mu)
	return b
}

func (b *Budget) awaitRoom(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.used+n > b.limit {
		b.freed.Wait()
	}
}

func (b *Budget) charge(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += n
}

// Reserve lets two in who have waited for the same room.
func (b *Budget) Reserve(n int) {
	b.awaitRoom(n)
	b.charge(n) // want `check-then-act: b.used was checked at line 40, but b.mu was released when awaitRoom returned and another goroutine may change it before this call of charge`
}

// ReserveHere does so in one function.
func (b *Budget) ReserveHere(n int) {
	b.mu.Lock()
	for b.used+n > b.limit {
		b.freed.Wait()
	}
	b.mu.Unlock()
	b.mu.Lock()
	b.used += n // want `check-then-act: b.used was checked at line 47, but b.mu was released at line 48`
	b.mu.Unlock()
}

// ReserveInOne books in the section that has waited, so that Use only gives back what is its own.
func (b *Budget) ReserveInOne(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.used+n > b.limit {
		b.freed.Wait()
	}
	b.used += n
}

func (b *Budget) Use(n int, do func()) {
	b.ReserveInOne(n)
	do()
	b.Release(n)
}

func (b *Budget) Release(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	b.freed.Broadcast()
}

// A Window hands out parts of what there is.
type Window struct {
	mu    sync.Mutex
	cond  *sync.Cond
	avail int
}

func (w *Window) await(want int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.avail <= 0 {
		w.cond.Wait()
	}
	return min(want, w.avail)
}

func (w *Window) take(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.avail -= n
}

func (w *Window) Grant(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.avail += n
	w.cond.Broadcast()
}

// Send takes a part that another one has been given, too.
func (w *Window) Send(want int) int {
	n := w.await(want)
	w.take(n) // want `check-then-act: w.avail was checked at line 110`
	return n
}

// A Gate counts those who are inside, and can be shut.
type Gate struct {
	mu      sync.Mutex
	changed *sync.Cond
	shut    int
	inside  int
}

func (g *Gate) awaitOpen() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut > 0 {
		g.changed.Wait()
	}
}

func (g *Gate) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside++
}

func (g *Gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.changed.Broadcast()
}

// Run comes in when the gate has been shut, and nobody was inside.
func (g *Gate) Run(do func()) {
	g.awaitOpen()
	g.enter() // want `check-then-act: g.shut was checked at line 146, but g.mu was released when awaitOpen returned and another goroutine may set it, and find that g.inside is zero`
	defer g.leave()
	do()
}

// RunInOne waits and counts in one section.
func (g *Gate) RunInOne(do func()) {
	g.mu.Lock()
	for g.shut > 0 {
		g.changed.Wait()
	}
	g.inside++
	g.mu.Unlock()
	defer g.leave()
	do()
}

func (g *Gate) Alone(do func()) {
	g.mu.Lock()
	g.shut++
	for g.inside > 0 {
		g.changed.Wait()
	}
	g.mu.Unlock()
	do()
	g.mu.Lock()
	g.shut--
	g.changed.Broadcast()
	g.mu.Unlock()
}

// A Desk is closed when nobody is served.
type Desk struct {
	mu     sync.Mutex
	idle   *sync.Cond
	active int
	closed bool
}

func (d *Desk) begin() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.active++
	return true
}

func (d *Desk) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.active--
	d.idle.Broadcast()
}

func (d *Desk) Serve(do func()) {
	if d.begin() {
		do()
		d.end()
	}
}

func (d *Desk) drain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.active > 0 {
		d.idle.Wait()
	}
}

func (d *Desk) refuse() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
}

// Close lets somebody begin after the last one has ended.
func (d *Desk) Close() {
	d.drain()
	d.refuse() // want `check-then-act: d.active was checked at line 226, but d.mu was released when drain returned`
}

// A Counter turns people away before it waits.
type Counter struct {
	mu                sync.Mutex
	active            int
	draining, stopped bool
}

func (c *Counter) Serve(do func()) {
	c.mu.Lock()
	if c.draining || c.stopped {
		c.mu.Unlock()
		return
	}
	c.active++
	c.mu.Unlock()
	do()
	c.mu.Lock()
	c.active--
	c.mu.Unlock()
}

func (c *Counter) quiet() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.active == 0
}

func (c *Counter) Close() {
	c.mu.Lock()
	c.draining = true
	c.mu.Unlock()
	for !c.quiet() {
		time.Sleep(time.Millisecond)
	}
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
}

// CloseAtOnce waits without having turned anybody away.
func (c *Counter) CloseAtOnce() {
	for !c.quiet() {
		time.Sleep(time.Millisecond)
	}
	c.mu.Lock()
	c.stopped = true // want `check-then-act: c.active was checked at line 271`
	c.mu.Unlock()
}
