// Package locks has the ways to lock.
package locks

import "sync"

// RW has a lock for reading and writing.
type RW struct {
	mu   sync.RWMutex
	x, y int //atomvet:set rw
}

// Set writes both.
func (r *RW) Set(x, y int) {
	r.mu.Lock()
	r.x, r.y = x, y
	r.mu.Unlock()
}

// One reads both in one section.
func (r *RW) One() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.x + r.y
}

// Apart reads them in two.
func (r *RW) Apart() int {
	r.mu.RLock()
	x := r.x
	r.mu.RUnlock()
	r.mu.RLock()
	y := r.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*RW\)\.Apart is not .*, if \(\*RW\)\.Set comes`
	r.mu.RUnlock()
	return x + y
}

// Upgrade reads in one section and writes in the next.
func (r *RW) Upgrade() {
	r.mu.RLock()
	x := r.x
	r.mu.RUnlock()
	r.mu.Lock()
	r.x = x + 1 // want `^R\(a\) W'\(a\) W\(a\): \(\*RW\)\.Upgrade is not .*, if \(\*RW\)\.Set comes`
	r.mu.Unlock()
}

// Locker takes the lock for reading in another way.
func (r *RW) Locker() int {
	l := r.mu.RLocker()
	l.Lock()
	defer l.Unlock()
	return r.x + r.y
}

// Readers has two locks for reading only: what is written under a shared lock
// is not protected.
type Readers struct {
	mu sync.RWMutex
	n  int //atomvet:set readers
}

// Inc writes under a lock that others may have at the same time.
func (r *Readers) Inc() {
	r.mu.RLock()
	r.n++ // want `^R\(a\) W'\(a\) W\(a\): \(\*Readers\)\.Inc is not one .*, if another \(\*Readers\)\.Inc comes`
	r.mu.RUnlock()
}

// Deferred has a lock that is given up at the end, somehow.
type Deferred struct {
	mu   sync.Mutex
	x, y int //atomvet:set deferred
}

// Set is one step.
func (d *Deferred) Set(x, y int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.x = x
	d.y = y
}

// Closure unlocks in a function literal.
func (d *Deferred) Closure() int {
	d.mu.Lock()
	defer func() { d.mu.Unlock() }()
	return d.x + d.y
}

// Early unlocks and returns.
func (d *Deferred) Early() int {
	d.mu.Lock()
	if d.x == 0 {
		d.mu.Unlock()
		return 0
	}
	n := d.x + d.y
	d.mu.Unlock()
	return n
}

// Conditional takes the lock only if it is asked to.
func (d *Deferred) Conditional(lock bool) int {
	if lock {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.x + d.y
	}
	return 0
}

// Relocks gives the lock up, which is taken again for the deferred unlock.
func (d *Deferred) Relocks() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	x := d.x
	d.mu.Unlock()
	d.mu.Lock()
	return x + d.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Deferred\)\.Relocks is not .*, if \(\*Deferred\)\.Set comes`
}

// AfterUnlock defers an access, which comes after the unlock deferred last.
func (d *Deferred) AfterUnlock() (n int) {
	d.mu.Lock()
	defer func() { n += d.y }() // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Deferred\)\.AfterUnlock is not .*, if \(\*Deferred\)\.Set comes`
	defer d.mu.Unlock()
	return d.x
}

// BeforeUnlock defers one that comes before it.
func (d *Deferred) BeforeUnlock() (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() { n += d.y }()
	return d.x
}

// Try has locks that may not be free.
type Try struct {
	mu   sync.Mutex
	x, y int //atomvet:set try
}

// Set is one step.
func (t *Try) Set(x, y int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.x = x
	t.y = y
}

// Get gives up if the lock is not free.
func (t *Try) Get() int {
	if !t.mu.TryLock() {
		return 0
	}
	defer t.mu.Unlock()
	return t.x + t.y
}

// Inside does all where the lock is held.
func (t *Try) Inside() (n int) {
	if t.mu.TryLock() {
		n = t.x + t.y
		t.mu.Unlock()
	}
	return n
}

// Anyway goes on without the lock.
func (t *Try) Anyway() int {
	if t.mu.TryLock() {
		defer t.mu.Unlock()
	}
	return t.x + t.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Try\)\.Anyway is not .*, if \(\*Try\)\.Set comes` `^W\(a\) R'\(a\) R'\(b\) W\(b\): \(\*Try\)\.Anyway can come between the accesses of \(\*Try\)\.Set`
}

// Embedded has methods of its lock.
type Embedded struct {
	sync.Mutex
	x, y int //atomvet:set embedded
}

// Set is one step.
func (e *Embedded) Set(x, y int) {
	e.Lock()
	defer e.Unlock()
	e.x = x
	e.y = y
}

// One reads both at once.
func (e *Embedded) One() int {
	e.Lock()
	defer e.Unlock()
	return e.x + e.y
}

// Apart does not.
func (e *Embedded) Apart() int {
	e.Lock()
	x := e.x
	e.Unlock()
	e.Lock()
	defer e.Unlock()
	return x + e.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Embedded\)\.Apart is not .*, if \(\*Embedded\)\.Set comes`
}

// Wrapped has methods that lock and unlock.
type Wrapped struct {
	mu   sync.Mutex
	x, y int //atomvet:set wrapped
}

func (w *Wrapped) lock()   { w.mu.Lock() }
func (w *Wrapped) unlock() { w.mu.Unlock() }

func (w *Wrapped) withLock(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

func (w *Wrapped) locked() func() {
	w.mu.Lock()
	return w.mu.Unlock
}

// Set is one step.
func (w *Wrapped) Set(x, y int) {
	w.lock()
	defer w.unlock()
	w.x = x
	w.y = y
}

// One reads both at once.
func (w *Wrapped) One() int {
	w.lock()
	n := w.x + w.y
	w.unlock()
	return n
}

// Apart does not.
func (w *Wrapped) Apart() int {
	w.lock()
	x := w.x
	w.unlock()
	w.lock()
	y := w.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Wrapped\)\.Apart is not .*, if \(\*Wrapped\)\.Set comes`
	w.unlock()
	return x + y
}

// With reads both at once.
func (w *Wrapped) With() (n int) {
	w.withLock(func() { n = w.x + w.y })
	return n
}

// WithTwice does not.
func (w *Wrapped) WithTwice() (n int) {
	w.withLock(func() { n = w.x })
	w.withLock(func() { n += w.y }) // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Wrapped\)\.WithTwice is not .*, if \(\*Wrapped\)\.Set comes`
	return n
}

// sumLocked is called with the lock held.
func (w *Wrapped) sumLocked() int { return w.x + w.y }

// WithMethod gives a method away.
func (w *Wrapped) WithMethod() {
	w.withLock(w.clearLocked)
}

func (w *Wrapped) clearLocked() {
	w.x = 0
	w.y = 0
}

// Helper calls it with the lock held.
func (w *Wrapped) Helper() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sumLocked()
}

// Returned has its unlock from a function that locks.
func (w *Wrapped) Returned() int {
	defer w.locked()()
	return w.x + w.y
}

// Pointer has its lock behind a pointer.
type Pointer struct {
	mu   *sync.Mutex
	x, y int //atomvet:set pointer
}

// Set is one step.
func (p *Pointer) Set(x, y int) {
	p.mu.Lock()
	p.x = x
	p.y = y
	p.mu.Unlock()
}

// One reads both at once.
func (p *Pointer) One() int {
	mu := p.mu
	mu.Lock()
	defer mu.Unlock()
	return p.x + p.y
}

// Wrong has two locks for one pair, each of which is the wrong one for the
// other.
type Wrong struct {
	a, b sync.Mutex
	x, y int //atomvet:set wrong
}

// Set holds one lock.
func (w *Wrong) Set(x, y int) {
	w.a.Lock()
	defer w.a.Unlock()
	w.x = x // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Wrong\)\.Set can come between the accesses of \(\*Wrong\)\.Get`
	w.y = y
}

// Get holds the other.
func (w *Wrong) Get() int {
	w.b.Lock()
	defer w.b.Unlock()
	return w.x + w.y // want `^W\(a\) R'\(a\) R'\(b\) W\(b\): \(\*Wrong\)\.Get can come between the accesses of \(\*Wrong\)\.Set`
}

// GetBoth holds both.
func (w *Wrong) GetBoth() int {
	w.b.Lock()
	defer w.b.Unlock()
	w.a.Lock()
	defer w.a.Unlock()
	return w.x + w.y
}

// HandOver takes the second lock before it gives the first one up: not nested.
type HandOver struct {
	a, b sync.Mutex
	x, y int //atomvet:set handover
}

// Set writes the one under a and b, the other under b.
func (h *HandOver) Set(x, y int) {
	h.a.Lock()
	h.x = x
	h.b.Lock()
	h.a.Unlock()
	h.y = y
	h.b.Unlock()
}

// Get goes the same way, so that it cannot overtake Set.
func (h *HandOver) Get() int {
	h.a.Lock()
	x := h.x
	h.b.Lock()
	h.a.Unlock()
	y := h.y
	h.b.Unlock()
	return x + y
}

// A gate is a channel that is used as a lock.
type Gate struct {
	gate chan struct{}
	x, y int //atomvet:set gate
}

// NewGate makes one.
func NewGate() *Gate { return &Gate{gate: make(chan struct{}, 1)} }

// Set is one step.
func (g *Gate) Set(x, y int) {
	g.gate <- struct{}{}
	g.x = x
	g.y = y
	<-g.gate
}

// One reads both at once.
func (g *Gate) One() int {
	g.gate <- struct{}{}
	n := g.x + g.y
	<-g.gate
	return n
}

// Apart does not.
func (g *Gate) Apart() int {
	g.gate <- struct{}{}
	x := g.x
	<-g.gate
	g.gate <- struct{}{}
	y := g.y // want `^R\(a\) W'\(a\) W'\(b\) R\(b\): \(\*Gate\)\.Apart is not .*, if \(\*Gate\)\.Set comes`
	<-g.gate
	return x + y
}

// Closure unlocks in a function literal.
func (g *Gate) Closure() int {
	g.gate <- struct{}{}
	defer func() { <-g.gate }()
	return g.x + g.y
}
