package acts

import (
	"context"
	"io"
	"sync"
	"time"
)

// A Depot closes what it has, and then says so, in one section.
type Depot struct {
	mu     sync.Mutex
	closed bool
	files  map[string]io.Closer
}

// Open adds a file after Close.
func (d *Depot) Open(name string, open func() io.Closer) error {
	d.mu.Lock()
	closed := d.closed
	d.mu.Unlock()
	if closed {
		return io.EOF
	}
	f := open()
	d.mu.Lock()
	d.files[name] = f // want `d.closed was checked .* before this write of d.files\[name\]`
	d.mu.Unlock()
	return nil
}

// OpenAsking asks again.
func (d *Depot) OpenAsking(name string, open func() io.Closer) error {
	d.mu.Lock()
	closed := d.closed
	d.mu.Unlock()
	if closed {
		return io.EOF
	}
	f := open()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return f.Close()
	}
	d.files[name] = f
	return nil
}

// Close closes.
func (d *Depot) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		f.Close()
	}
	d.closed = true
}

// An Alarm has a timer that Stop stops.
type Alarm struct {
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	timer  *time.Timer
}

// Arm sets the timer after Stop.
func (a *Alarm) Arm() {
	if a.ctx.Err() != nil {
		return
	}
	t := time.AfterFunc(time.Second, a.Arm)
	a.mu.Lock()
	a.timer = t // want `a.ctx.done was checked .* before this write of a.timer`
	a.mu.Unlock()
}

// Stop stops it.
func (a *Alarm) Stop() {
	a.cancel()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
	}
}

// A Gang is told by an error that it has been stopped.
type Gang struct {
	mu      sync.Mutex
	stopped bool
	wg      sync.WaitGroup
}

func (g *Gang) check() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return io.EOF
	}
	return nil
}

// Submit checks by a callee.
func (g *Gang) Submit(f func()) error {
	if err := g.check(); err != nil {
		return err
	}
	g.wg.Add(1) // want `g.stopped was checked .* another goroutine may have waited for g.wg`
	go func() {
		defer g.wg.Done()
		f()
	}()
	return nil
}

// Stop waits.
func (g *Gang) Stop() {
	g.mu.Lock()
	g.stopped = true
	g.mu.Unlock()
	g.wg.Wait()
}

// Jobs run one per name.
type Jobs struct {
	mu      sync.Mutex
	running map[string]bool
}

// Start leaves it to the goroutine to say that it runs.
func (j *Jobs) Start(name string) {
	j.mu.Lock()
	_, ok := j.running[name]
	j.mu.Unlock()
	if ok {
		return
	}
	go func() { // want `j.running\[name\] was checked .* start a second one`
		j.mu.Lock()
		j.running[name] = true
		j.mu.Unlock()
		compute()
		j.mu.Lock()
		delete(j.running, name)
		j.mu.Unlock()
	}()
}

// StartClaimed says so before.
func (j *Jobs) StartClaimed(name string) {
	j.mu.Lock()
	if j.running[name] {
		j.mu.Unlock()
		return
	}
	j.running[name] = true
	j.mu.Unlock()
	go func() {
		compute()
		j.mu.Lock()
		delete(j.running, name)
		j.mu.Unlock()
	}()
}

// A Shop has one clerk, who works in the background.
type Shop struct {
	mu    sync.Mutex
	clerk *clerk
}

type clerk struct {
	mu   sync.Mutex
	n    int
	stop chan struct{}
}

func (c *clerk) work() {
	for {
		c.mu.Lock()
		c.n++
		c.mu.Unlock()
	}
}

func (c *clerk) dismiss() { close(c.stop) }

func (s *Shop) get() *clerk {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clerk
}

// Clerk starts one that works on if another one was faster.
func (s *Shop) Clerk() *clerk {
	if c := s.get(); c != nil {
		return c
	}
	c := &clerk{stop: make(chan struct{})}
	go c.work() // want `s.clerk was checked .* start a second one`
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clerk == nil {
		s.clerk = c
	}
	return s.clerk
}

// ClerkDismissed ends the one that was too late.
func (s *Shop) ClerkDismissed() *clerk {
	if c := s.get(); c != nil {
		return c
	}
	c := &clerk{stop: make(chan struct{})}
	go c.work()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clerk == nil {
		s.clerk = c
	} else {
		c.dismiss()
	}
	return s.clerk
}

// ClerkLater starts the one that was put in.
func (s *Shop) ClerkLater() *clerk {
	if c := s.get(); c != nil {
		return c
	}
	c := &clerk{stop: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clerk == nil {
		s.clerk = c
		go c.work()
	}
	return s.clerk
}
