package closes

import (
	"sync"
	"sync/atomic"
)

// A Cast has listeners that are told of the end by their channels.
type Cast struct {
	mu        sync.Mutex
	listeners map[int]chan int
	closed    bool

	once atomic.Bool
	over chan struct{}
	last chan struct{}
	late chan struct{}
}

func NewCast() *Cast {
	return &Cast{listeners: make(map[int]chan int), over: make(chan struct{}), last: make(chan struct{}), late: make(chan struct{})}
}

func (c *Cast) Send(v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	for _, l := range c.listeners {
		select {
		case l <- v:
		default:
		}
	}
}

func (c *Cast) Listen(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners[id] = make(chan int, 1)
}

// Close sets the flag, and does not ask for it.
func (c *Cast) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, l := range c.listeners {
		close(l) // want `check-then-act: Cast\.listeners is closed here without a look whether it has been closed, and the goroutine started at twice\.go:\d+ and .* may both come here: the second close panics`
	}
}

// CloseOnce lets the first one through.
func (c *Cast) CloseOnce() {
	if c.once.Swap(true) {
		return
	}
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	close(c.over)
}

// Quiet sets no flag: that it is called once is known elsewhere.
func (c *Cast) Quiet() {
	close(c.last)
}

// closeAlone is only called by the goroutine.
func (c *Cast) closeAlone() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	close(c.late)
}

// A Studio has a goroutine that closes its cast, and so does Destroy.
type Studio struct {
	cast    *Cast
	updates chan int
}

func NewStudio() *Studio {
	s := &Studio{cast: NewCast(), updates: make(chan int)}
	go s.run()
	return s
}

func (s *Studio) run() {
	for v := range s.updates {
		s.cast.Send(v)
		if v < 0 {
			s.cast.Close()
			s.cast.CloseOnce()
			s.cast.Quiet()
			s.cast.closeAlone()
			return
		}
	}
}

func (s *Studio) Destroy() {
	s.cast.Close()
	s.cast.CloseOnce()
	s.cast.Quiet()
}

// A Board is closed more than once, and opened again.
type Board struct {
	mu     sync.Mutex
	closed bool
	turned chan struct{}
}

func NewBoard() *Board {
	b := &Board{turned: make(chan struct{})}
	go func() { b.Close() }()
	return b
}

func (b *Board) Closed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return true
	}
	return false
}

// Close tells those who wait, and lets others wait for the next one.
func (b *Board) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	close(b.turned)
	b.turned = make(chan struct{})
}

// A Dealer closes the lines of others.
type Dealer struct {
	lines chan *phone
}

type phone struct {
	mu     sync.Mutex
	hungUp bool
	tone   chan int
}

func NewDealer() *Dealer {
	d := &Dealer{lines: make(chan *phone)}
	go func() {
		for l := range d.lines {
			d.end(l)
		}
	}()
	return d
}

func (p *phone) isUp() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hungUp {
		return true
	}
	return false
}

func (d *Dealer) end(p *phone) {
	p.mu.Lock()
	p.hungUp = true
	p.mu.Unlock()
	close(p.tone)
}

func (d *Dealer) End(p *phone) { d.end(p) }
