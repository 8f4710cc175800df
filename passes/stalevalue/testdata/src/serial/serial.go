// Package serial is about elements that are removed by a number which is used once, or by the function
// that has put them there.
package serial

import "sync"

type channel interface{ Send(string) error }

type session struct {
	serial uint64
	device string
	used   bool
	ch     channel
}

// Gateway numbers its sessions.
type Gateway struct {
	mu       sync.Mutex
	last     uint64
	sessions map[uint64]*session
	byDevice map[string]uint64
}

func (g *Gateway) Connect(device string, ch channel) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last++
	s := &session{serial: g.last, device: device, ch: ch}
	g.sessions[s.serial] = s
	g.byDevice[device] = s.serial
}

func (g *Gateway) find(device string) *session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sessions[g.byDevice[device]]
}

// mark finds a session, and marks it as used.
func (g *Gateway) mark(n uint64) (*session, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.sessions[n]
	if ok {
		s.used = true
	}
	return s, ok
}

// Send removes the session that has failed, or none.
func (g *Gateway) Send(n uint64, msg string) {
	s, ok := g.mark(n)
	if ok && s.ch.Send(msg) != nil {
		g.drop(s)
	}
}

func (g *Gateway) drop(s *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.sessions, s.serial)
}

// Push removes the session that has failed, or none.
func (g *Gateway) Push(device, msg string) {
	s := g.find(device)
	if s == nil {
		return
	}
	if s.ch.Send(msg) != nil {
		g.drop(s)
	}
}

// Desk gives its sessions numbers that come from outside, and may come again.
type Desk struct {
	mu       sync.Mutex
	sessions map[uint64]*session
	byDevice map[string]uint64
}

func (d *Desk) Connect(n uint64, device string, ch channel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &session{serial: n, device: device, ch: ch}
	d.sessions[s.serial] = s
	d.byDevice[device] = s.serial
}

func (d *Desk) find(device string) *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sessions[d.byDevice[device]]
}

func (d *Desk) drop(s *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, s.serial)
}

// Push may remove a session that has come in between.
func (d *Desk) Push(device, msg string) {
	s := d.find(device)
	if s == nil {
		return
	}
	if s.ch.Send(msg) != nil {
		d.drop(s) // want `d.byDevice\[device\] was checked at line \d+`
	}
}

// Task is waited for.
type Task struct {
	mu      sync.Mutex
	done    bool
	waiters map[chan bool]bool
}

func (t *Task) exited() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done
}

func (t *Task) add(ch chan bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiters[ch] = true
}

func (t *Task) drop(ch chan bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiters, ch)
}

func (t *Task) Exit() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done = true
	for ch := range t.waiters {
		ch <- true
		delete(t.waiters, ch)
	}
}

// Wait looks once more when it is on the list, and takes itself off it.
func (t *Task) Wait() {
	if t.exited() {
		return
	}
	ch := make(chan bool, 1)
	t.add(ch)
	defer t.drop(ch)
	if t.exited() {
		return
	}
	<-ch
}

// WaitLong may be put on the list after the end.
func (t *Task) WaitLong() {
	if t.exited() {
		return
	}
	ch := make(chan bool, 1)
	t.add(ch) // want `t.done was checked at line \d+`
	defer t.drop(ch)
	<-ch
}
