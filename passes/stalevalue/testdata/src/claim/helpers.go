package claim

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A Lift has a claim that helpers take and give back.
type Lift struct {
	mu    sync.Mutex
	moves bool
	floor int
}

func (l *Lift) start() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.moves {
		return false
	}
	l.moves = true
	return true
}

func (l *Lift) stop() {
	l.mu.Lock()
	l.moves = false
	l.mu.Unlock()
}

func (l *Lift) at() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.floor
}

// Up is alone from start to stop.
func (l *Lift) Up(by func(int) int) {
	if !l.start() {
		return
	}
	defer l.stop()
	to := by(l.at())
	l.mu.Lock()
	l.floor = to
	l.mu.Unlock()
}

// A Crane has the claim for as long as it takes to read.
type Crane struct {
	mu    sync.Mutex
	moves bool
	angle int
}

func (c *Crane) start() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.moves {
		return false
	}
	c.moves = true
	return true
}

func (c *Crane) stop() {
	c.mu.Lock()
	c.moves = false
	c.mu.Unlock()
}

// Turn gives the claim back too early.
func (c *Crane) Turn(by func(int) int) {
	if !c.start() {
		return
	}
	c.mu.Lock()
	a := c.angle
	c.mu.Unlock()
	c.stop()
	a = by(a)
	c.mu.Lock()
	c.angle = a // want `c.angle was read`
	c.mu.Unlock()
}

// A Winch does not ask whether it has got the claim.
type Winch struct {
	mu    sync.Mutex
	moves bool
	rope  int
}

func (w *Winch) start() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.moves {
		return false
	}
	w.moves = true
	return true
}

func (w *Winch) stop() {
	w.mu.Lock()
	w.moves = false
	w.mu.Unlock()
}

// Pull pulls anyway.
func (w *Winch) Pull(by func(int) int) {
	w.start()
	defer w.stop()
	w.mu.Lock()
	n := w.rope
	w.mu.Unlock()
	n = by(n)
	w.mu.Lock()
	w.rope = n // want `w.rope was read`
	w.mu.Unlock()
}

// A Hoist gets what it works on together with the claim.
type Hoist struct {
	mu    sync.Mutex
	moves bool
	load  int
}

func (h *Hoist) begin() (int, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.moves {
		return 0, false
	}
	h.moves = true
	return h.load, true
}

func (h *Hoist) end(load int) {
	h.mu.Lock()
	h.load = load
	h.moves = false
	h.mu.Unlock()
}

// Move has the claim until end has written.
func (h *Hoist) Move(by func(int) int) {
	if load, ok := h.begin(); ok {
		h.end(by(load))
	}
}

// A Ramp writes when it has no claim any more.
type Ramp struct {
	mu    sync.Mutex
	moves bool
	load  int
}

func (r *Ramp) begin() (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.moves {
		return 0, false
	}
	r.moves = true
	return r.load, true
}

func (r *Ramp) end(load int) {
	r.mu.Lock()
	r.moves = false
	r.mu.Unlock()
	r.mu.Lock()
	r.load = load
	r.mu.Unlock()
}

// Move lets others begin before end has written.
func (r *Ramp) Move(by func(int) int) {
	if load, ok := r.begin(); ok {
		r.end(by(load)) // want `r.load was read`
	}
}

// A Gate makes others wait.
type Gate struct {
	mu   sync.Mutex
	free *sync.Cond
	busy bool
	seen int
}

func newGate() *Gate { g := &Gate{}; g.free = sync.NewCond(&g.mu); return g }

func (g *Gate) enter() {
	g.mu.Lock()
	for g.busy {
		g.free.Wait()
	}
	g.busy = true
	g.mu.Unlock()
}

func (g *Gate) leave() {
	g.mu.Lock()
	g.busy = false
	g.mu.Unlock()
	g.free.Signal()
}

// See is alone between enter and leave.
func (g *Gate) See(next func(int) int) {
	g.enter()
	defer g.leave()
	g.mu.Lock()
	n := g.seen
	g.mu.Unlock()
	n = next(n)
	g.mu.Lock()
	g.seen = n
	g.mu.Unlock()
}

// A Hatch waits, and does not look whether it is free then.
type Hatch struct {
	mu   sync.Mutex
	free *sync.Cond
	busy bool
	seen int
}

func newHatch() *Hatch { h := &Hatch{}; h.free = sync.NewCond(&h.mu); return h }

// See waits once.
func (h *Hatch) See(next func(int) int) {
	h.mu.Lock()
	if h.busy {
		h.free.Wait()
	}
	h.busy = true
	n := h.seen
	h.mu.Unlock()
	n = next(n)
	h.mu.Lock()
	h.seen = n // want `h.seen was read`
	h.busy = false
	h.mu.Unlock()
	h.free.Signal()
}

// A Lock tries again and again.
type Lock struct {
	mu    sync.Mutex
	taken bool
	level int
}

// Fill is alone as soon as it has found the lock free.
func (l *Lock) Fill(next func(int) int) {
	for {
		l.mu.Lock()
		if !l.taken {
			break
		}
		l.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	l.taken = true
	n := l.level
	l.mu.Unlock()
	n = next(n)
	l.mu.Lock()
	l.level = n
	l.taken = false
	l.mu.Unlock()
}

// A Sluice takes the flag in another section than that in which it was free.
type Sluice struct {
	mu    sync.Mutex
	taken bool
	level int
}

// Fill may be one of two that have found it free.
func (s *Sluice) Fill(next func(int) int) {
	for {
		s.mu.Lock()
		taken := s.taken
		s.mu.Unlock()
		if !taken {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.mu.Lock()
	s.taken = true
	n := s.level
	s.mu.Unlock()
	n = next(n)
	s.mu.Lock()
	s.level = n // want `s.level was read`
	s.taken = false
	s.mu.Unlock()
}

// A Mill claims by an atomic variable.
type Mill struct {
	busy  atomic.Bool
	mu    sync.Mutex
	sacks int
}

func (m *Mill) try() bool { return m.busy.CompareAndSwap(false, true) }

// Grind is alone if try says so.
func (m *Mill) Grind() {
	if !m.try() {
		return
	}
	defer m.busy.Store(false)
	m.mu.Lock()
	n := m.sacks
	m.mu.Unlock()
	m.mu.Lock()
	m.sacks = n + 1
	m.mu.Unlock()
}

// A Berth is a channel with one place.
type Berth struct {
	place chan struct{}
	mu    sync.Mutex
	crew  int
}

func newBerth() *Berth { return &Berth{place: make(chan struct{}, 1)} }

func (b *Berth) acquire(ctx context.Context) error {
	select {
	case b.place <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Berth) release() { <-b.place }

// Board is alone in the place.
func (b *Berth) Board(ctx context.Context) error {
	if err := b.acquire(ctx); err != nil {
		return err
	}
	defer b.release()
	b.mu.Lock()
	n := b.crew
	b.mu.Unlock()
	b.mu.Lock()
	b.crew = n + 1
	b.mu.Unlock()
	return nil
}

// A Quay has two places.
type Quay struct {
	place chan struct{}
	mu    sync.Mutex
	crew  int
}

func newQuay() *Quay { return &Quay{place: make(chan struct{}, 2)} }

func (q *Quay) acquire() { q.place <- struct{}{} }
func (q *Quay) release() { <-q.place }

// Board is one of two.
func (q *Quay) Board() {
	q.acquire()
	defer q.release()
	q.mu.Lock()
	n := q.crew
	q.mu.Unlock()
	q.mu.Lock()
	q.crew = n + 1 // want `q.crew was read`
	q.mu.Unlock()
}
