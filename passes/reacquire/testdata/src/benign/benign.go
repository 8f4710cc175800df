// Package benign has the pattern of the paper where nothing depends on it. Only
// the flag -pattern reports it.
package benign

import (
	"io"
	"sync"
)

// "sor": load sharing of FJTaskRunner. Whether there is something to steal is
// looked at, and looked at again by who takes it.

type Deque struct {
	mu    sync.Mutex
	tasks []func()
}

func (d *Deque) Put(t func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tasks = append(d.tasks, t)
}

func (d *Deque) Empty() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.tasks) == 0
}

func (d *Deque) Take() (func(), bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.tasks) == 0 {
		return nil, false
	}
	t := d.tasks[len(d.tasks)-1]
	d.tasks = d.tasks[:len(d.tasks)-1]
	return t, true
}

type Runner struct {
	mu     sync.Mutex
	victim *Deque
	stolen []func()
}

func (r *Runner) Discard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.victim.Empty() {
		r.victim.Take() // want `pattern: r\.victim\.mu is taken again here, after line 50, in one critical section of r\.mu$`
	}
}

// The same without accessors.
func (r *Runner) StealInline() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.victim
	v.mu.Lock()
	n := len(v.tasks)
	v.mu.Unlock()
	if n == 0 {
		return false
	}
	v.mu.Lock() // want `pattern: r\.victim\.mu is taken again here, after line 60, in one critical section of r\.mu$`
	defer v.mu.Unlock()
	if len(v.tasks) == 0 {
		return false
	}
	r.stolen = append(r.stolen, v.tasks[0])
	v.tasks = v.tasks[1:]
	return true
}

// "sor": a lock that is made of sections of another.

type Semaphore struct {
	mu      sync.Mutex
	permits int
	wake    chan struct{}
}

func (s *Semaphore) Lock() {
	s.mu.Lock()
	if s.permits > 0 {
		s.permits--
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	for {
		<-s.wake
		s.mu.Lock() // want `pattern: s\.mu is taken again in each round of the loop, in one critical section of Pool\.mu \(held by \(\*Pool\)\.Use\)$`
		if s.permits > 0 {
			s.permits--
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
}

func (s *Semaphore) Unlock() {
	s.mu.Lock()
	s.permits++
	s.mu.Unlock()
	s.mu.Lock() // want `pattern: s\.mu is taken again here, after line 105, in one critical section of Pool\.mu \(held by \(\*Pool\)\.Use\)$`
	idle := s.permits > 1
	s.mu.Unlock()
	if !idle {
		s.wake <- struct{}{}
	}
}

type Pool struct {
	mu    sync.Mutex
	sem   *Semaphore
	inUse int
}

func (p *Pool) Use(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sem.Lock()
	p.inUse++
	f()
	p.inUse--
	p.sem.Unlock() // want `pattern: p\.sem\.mu is taken again here, after line 125, in one critical section of p\.mu$`
}

// Risk: who is kicked off closes the battle, and then the game.

type Controller struct {
	mu     sync.Mutex
	battle bool
	game   bool
}

func (c *Controller) StartBattle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.battle = true
}

func (c *Controller) StartGame() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.game = true
}

func (c *Controller) closeBattle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.battle = false
}

func (c *Controller) closeGame() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.game = false
}

func (c *Controller) State() (battle, game bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.battle, c.game
}

type Client struct {
	mu        sync.Mutex
	ctl       *Controller
	connected bool
}

func (c *Client) KickedOff() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.connected = false
	c.cleanup()
}

func (c *Client) cleanup() {
	c.ctl.closeBattle()
	c.ctl.closeGame() // want `pattern: c\.ctl\.mu is taken again here, after line 184, in one critical section of c\.mu \(held by \(\*Client\)\.KickedOff\)$`
}

// Jose: a line is written in three steps.

type LineWriter struct {
	mu  sync.Mutex
	buf []byte
}

func (w *LineWriter) Write(b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf, b...)
}

func (w *LineWriter) Flush(to io.Writer) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := to.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

type Logger struct {
	mu    sync.Mutex
	out   *LineWriter
	lines int
}

func (l *Logger) Print(tag, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.Write(tag)
	l.out.Write(text)         // want `pattern: l\.out\.mu is taken again here, after line 218, in one critical section of l\.mu$`
	l.out.Write([]byte{'\n'}) // want `pattern: l\.out\.mu is taken again here, after line 219, in one critical section of l\.mu$`
	l.lines++
}

// A reading that only goes to a log, twice.

type Meter struct {
	mu sync.Mutex
	n  int
}

func (m *Meter) Add(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n += n
}

func (m *Meter) Value() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n
}

type Station struct {
	mu    sync.Mutex
	meter *Meter
	show  func(int)
	left  int
}

func (s *Station) Show(twice bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left--
	s.show(s.meter.Value())
	if twice {
		s.show(s.meter.Value()) // want `pattern: s\.meter\.mu is taken again here, after line 254, in one critical section of s\.mu$`
	}
}

// A context that only some callers hold.

func (s *Station) Locked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rise()
}

func (s *Station) Unlocked() int { return s.rise() }

func (s *Station) rise() int {
	before := s.meter.Value()
	return s.meter.Value() - before // want `pattern: s\.meter\.mu is taken again here, after line 271, in one critical section of s\.mu \(held by \(\*Station\)\.Locked\)$`
}
