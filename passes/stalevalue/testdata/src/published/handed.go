package published

import "sync/atomic"

type block struct{ n int }

// headers keeps a function of the chain that it belongs to.
type headers struct{ stopped func() bool }

func newHeaders(stopped func() bool) *headers { return &headers{stopped: stopped} }

// A Chain has a part with a function of its own: nobody else has the chain by that.
type Chain struct {
	cur     atomic.Pointer[block]
	done    atomic.Bool
	headers *headers
	parts   []*headers
}

func NewChain() *Chain {
	c := &Chain{}
	c.headers = newHeaders(c.stopped)
	c.parts = append(c.parts, &headers{stopped: c.stopped})
	c.cur.Store(nil)
	return c
}

func (c *Chain) stopped() bool { return c.done.Load() }

func (c *Chain) Set(n int) { c.cur.Store(&block{n}) }

func (c *Chain) Head() int {
	if c.cur.Load() != nil {
		return c.cur.Load().n // it is only set by now
	}
	return 0
}

// A Probe asks a function all the time.
type probe struct{ ask func() int }

func newProbe(ask func() int) *probe {
	p := &probe{ask: ask}
	go p.run()
	return p
}

func (p *probe) run() {
	for p.ask() < 9 {
	}
}

// A Line has a part that calls it at once.
type Line struct {
	cur   atomic.Pointer[block]
	probe *probe
}

func NewLine() *Line {
	l := &Line{}
	l.probe = newProbe(l.Head)
	l.cur.Store(nil)
	return l
}

func (l *Line) Set(n int) { l.cur.Store(&block{n}) }

func (l *Line) Head() int {
	if l.cur.Load() != nil {
		return l.cur.Load().n // want `check-then-act: l.cur was checked .* may clear it before it is used here unchecked \(Line.cur is also written by NewLine`
	}
	return 0
}

// A Shelf gives what it has made to others before it is ready.
type Shelf struct {
	cur     atomic.Pointer[block]
	headers *headers
}

var shelved = make(chan *headers, 1)

func NewShelf() *Shelf {
	s := &Shelf{}
	s.headers = newHeaders(s.empty)
	shelved <- s.headers
	s.cur.Store(nil)
	return s
}

func (s *Shelf) empty() bool { return s.Head() == 0 }

func (s *Shelf) Set(n int) { s.cur.Store(&block{n}) }

func (s *Shelf) Head() int {
	if s.cur.Load() != nil {
		return s.cur.Load().n // want `check-then-act: s.cur was checked .* may clear it before it is used here unchecked \(Shelf.cur is also written by NewShelf`
	}
	return 0
}
