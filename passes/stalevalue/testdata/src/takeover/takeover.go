package takeover

import (
	"sync"
	"time"
)

type conn struct{ name string }

func (c *conn) read()  {}
func (c *conn) Close() {}

// A Hub has one connection for each client; a new one takes over.
type Hub struct {
	mu    sync.Mutex
	conns map[string]*conn
	refs  map[string]int
}

func (h *Hub) attach(id string, c *conn) {
	h.mu.Lock()
	old := h.conns[id]
	h.conns[id] = c
	h.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

func (h *Hub) detach(id string) {
	h.mu.Lock()
	delete(h.conns, id)
	h.mu.Unlock()
}

func (h *Hub) Serve(id string, c *conn) {
	h.attach(id, c)
	defer h.detach(id) // want `check-then-act: h\.conns\[id\] is removed here, whatever is there by now: it was put in at line \d+, and \(\*Hub\)\.attach \(takeover\.go:\d+\) may have put another in its place`
	c.read()
}

func (h *Hub) detachOwn(id string, c *conn) {
	h.mu.Lock()
	if h.conns[id] == c {
		delete(h.conns, id)
	}
	h.mu.Unlock()
}

// ServeOwn removes its own connection. That is right.
func (h *Hub) ServeOwn(id string, c *conn) {
	h.attach(id, c)
	defer h.detachOwn(id, c)
	c.read()
}

// ServeRefs removes what nobody uses. That is right.
func (h *Hub) ServeRefs(id string, c *conn) {
	h.attach(id, c)
	c.read()
	h.mu.Lock()
	h.refs[id]--
	if h.refs[id] == 0 {
		delete(h.conns, id)
	}
	h.mu.Unlock()
}

// A Vault serves one at a time: all who put something in need the outer lock.
type Vault struct {
	outer sync.Mutex
	mu    sync.Mutex
	conns map[string]*conn
}

func (v *Vault) Serve(id string, c *conn) {
	v.outer.Lock()
	defer v.outer.Unlock()
	v.serve(id, c)
}

func (v *Vault) serve(id string, c *conn) {
	v.mu.Lock()
	old := v.conns[id]
	v.conns[id] = c
	v.mu.Unlock()
	if old != nil {
		old.Close()
	}
	c.read()
	v.mu.Lock()
	delete(v.conns, id)
	v.mu.Unlock()
}

// A Desk gives each connection a name.
type Desk struct {
	mu    sync.Mutex
	conns map[string]*conn
}

func (d *Desk) Serve(c *conn) {
	id := random()
	d.mu.Lock()
	old := d.conns[id]
	d.conns[id] = c
	d.mu.Unlock()
	if old != nil {
		old.Close()
	}
	c.read()
	d.mu.Lock()
	delete(d.conns, id)
	d.mu.Unlock()
}

func random() string { return time.Now().String() }

// A Gate refuses a second connection of one name.
type Gate struct {
	mu    sync.Mutex
	conns map[string]*conn
}

func (g *Gate) Serve(id string, c *conn) bool {
	g.mu.Lock()
	if g.conns[id] != nil {
		g.mu.Unlock()
		return false
	}
	g.conns[id] = c
	g.mu.Unlock()
	c.read()
	g.mu.Lock()
	delete(g.conns, id)
	g.mu.Unlock()
	return true
}

// A Lodge refuses a second one, too, but a guest may be sent away, and another one come.
type Lodge struct {
	mu    sync.Mutex
	conns map[string]*conn
}

func (l *Lodge) Serve(id string, c *conn) bool {
	l.mu.Lock()
	if l.conns[id] != nil {
		l.mu.Unlock()
		return false
	}
	l.conns[id] = c
	l.mu.Unlock()
	c.read()
	l.mu.Lock()
	delete(l.conns, id) // want `check-then-act: l\.conns\[id\] is removed here, whatever is there by now: it was put in at line \d+, and \(\*Lodge\)\.Kick \(takeover\.go:\d+\) may have removed that, and another be there`
	l.mu.Unlock()
	return true
}

func (l *Lodge) Kick(id string) {
	l.mu.Lock()
	c := l.conns[id]
	delete(l.conns, id)
	l.mu.Unlock()
	if c != nil {
		c.Close()
	}
}

// Solo has one goroutine that serves one connection after the other.
type Solo struct {
	mu    sync.Mutex
	conns map[string]*conn
}

func NewSolo(in <-chan *conn) *Solo {
	s := &Solo{conns: make(map[string]*conn)}
	go func() {
		for c := range in {
			s.serve(c.name, c)
		}
	}()
	return s
}

func (s *Solo) serve(id string, c *conn) {
	s.mu.Lock()
	old := s.conns[id]
	s.conns[id] = c
	s.mu.Unlock()
	if old != nil {
		old.Close()
	}
	c.read()
	s.mu.Lock()
	delete(s.conns, id)
	s.mu.Unlock()
}

func (s *Solo) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// Calls has a number for each call.
type Calls struct {
	mu    sync.Mutex
	last  int
	calls map[int]*conn
}

func (c *Calls) Serve(x *conn) {
	c.mu.Lock()
	c.last++
	id := c.last
	c.calls[id] = x
	c.mu.Unlock()
	c.wait(id, x)
}

func (c *Calls) wait(id int, x *conn) {
	c.mu.Lock()
	c.calls[id] = x
	c.mu.Unlock()
	x.read()
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
}

func (c *Calls) Drop(id int) {
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
}

type hold struct {
	customer string
	timer    *time.Timer
}

// A Board has holds that end by a timer.
type Board struct {
	mu    sync.Mutex
	seats map[string]*hold
}

func (b *Board) Hold(seat, customer string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seats[seat] != nil {
		return false
	}
	h := &hold{customer: customer}
	h.timer = time.AfterFunc(time.Minute, func() { b.expire(seat) })
	b.seats[seat] = h
	return true
}

func (b *Board) expire(seat string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.seats[seat]; ok {
		delete(b.seats, seat) // want `check-then-act: b\.seats\[seat\] is removed here, whatever is there by now: it was put in at line \d+, and \(\*Board\)\.\w+ .* may have removed that, and another be there`
	}
}

// HoldOwn ends its own hold only. That is right.
func (b *Board) HoldOwn(seat, customer string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seats[seat] != nil {
		return false
	}
	h := &hold{customer: customer}
	h.timer = time.AfterFunc(time.Minute, func() { b.expireOwn(seat, h) })
	b.seats[seat] = h
	return true
}

func (b *Board) expireOwn(seat string, h *hold) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seats[seat] == h {
		delete(b.seats, seat)
	}
}

func (b *Board) Release(seat string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h := b.seats[seat]; h != nil {
		h.timer.Stop()
		delete(b.seats, seat)
	}
}

// remove calls itself: which of its accesses the removal is, is not followed.
func (h *Hub) remove(id string, again bool) {
	if again {
		h.remove(id, false)
		return
	}
	h.mu.Lock()
	delete(h.conns, id)
	h.mu.Unlock()
}

func (h *Hub) ServeAgain(id string, c *conn) {
	h.attach(id, c)
	c.read()
	h.remove(id, true)
}
