package shutdowns

import (
	"sync"
	"sync/atomic"
)

// Shares counts the users of its objects. What the function of a sync.Once does under a lock of others is no
// construction: there is one sync.Once for each handle.
type Shares struct {
	mu   sync.Mutex
	all  map[string]*shared
	free []*shared
}

type shared struct {
	name string
	refs atomic.Int32
}

type Handle struct {
	pool *Shares
	of   *shared
	once sync.Once
}

func (p *Shares) Open(name string) *Handle {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.all[name]
	if s == nil {
		s = &shared{name: name}
		p.all[name] = s
	}
	s.refs.Add(1)
	return &Handle{pool: p, of: s}
}

func (p *Shares) release(s *shared) {
	if s.refs.Add(-1) > 0 {
		return
	}
	p.mu.Lock()
	p.unlink(s) // want `s.refs was checked at line 40, but the atomic operations are separate and another goroutine may change it before this call of unlink, which writes p.all\[s.name\]`
	p.mu.Unlock()
}

// unlink looks which object is there, and not at its count.
func (p *Shares) unlink(s *shared) {
	if p.all[s.name] == s {
		delete(p.all, s.name)
	}
}

func (h *Handle) Close() { h.once.Do(func() { h.pool.release(h.of) }) }

// A Link is closed in a sync.Once, which waits for the goroutine that dials before it looks at the session.
type Link struct {
	mu      sync.Mutex
	closing bool
	session *int
	once    sync.Once
	ended   chan struct{}
}

func NewLink(dial func() *int) *Link {
	l := &Link{ended: make(chan struct{})}
	go l.run(dial)
	return l
}

func (l *Link) isClosing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closing
}

func (l *Link) run(dial func() *int) {
	defer close(l.ended)
	for !l.isClosing() {
		s := dial()
		l.mu.Lock()
		l.session = s
		l.mu.Unlock()
	}
}

func end(*int) {}

func (l *Link) Close() {
	l.once.Do(func() {
		l.mu.Lock()
		l.closing = true
		l.mu.Unlock()
		<-l.ended
		l.mu.Lock()
		end(l.session)
		l.mu.Unlock()
	})
}

// A Hasty one looks first, and misses what is put there afterwards.
type Hasty struct {
	mu      sync.Mutex
	closing bool
	session *int
	once    sync.Once
	ended   chan struct{}
}

func NewHasty(dial func() *int) *Hasty {
	l := &Hasty{ended: make(chan struct{})}
	go l.run(dial)
	return l
}

func (l *Hasty) isClosing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closing
}

func (l *Hasty) run(dial func() *int) {
	defer close(l.ended)
	for !l.isClosing() {
		s := dial()
		l.mu.Lock()
		l.session = s // want `l.closing was checked at line 125, but l.mu was released when isClosing returned and another goroutine may change it before this write of l.session`
		l.mu.Unlock()
	}
}

func (l *Hasty) Close() {
	l.once.Do(func() {
		l.mu.Lock()
		l.closing = true
		l.mu.Unlock()
		l.mu.Lock()
		end(l.session)
		l.mu.Unlock()
		<-l.ended
	})
}

// A Caller waits for its answer or the end: what it enters after the end does no harm.
type Caller struct {
	mu     sync.Mutex
	wait   map[int]chan int
	closed chan struct{}
	once   sync.Once
}

func (c *Caller) Call(id int) int {
	select {
	case <-c.closed:
		return 0
	default:
	}
	reply := make(chan int, 1)
	c.mu.Lock()
	c.wait[id] = reply
	c.mu.Unlock()
	select {
	case n := <-reply:
		return n
	case <-c.closed:
		return 0
	}
}

// CallBlindly waits for ever.
func (c *Caller) CallBlindly(id int) int {
	select {
	case <-c.closed:
		return 0
	default:
	}
	reply := make(chan int, 1)
	c.mu.Lock()
	c.wait[id] = reply // want `c.closed.closed was checked at line 173, but the atomic operations are separate and another goroutine may change it before this write of c.wait\[id\]`
	c.mu.Unlock()
	return <-reply
}

func (c *Caller) Answer(id, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if reply := c.wait[id]; reply != nil {
		reply <- n
		delete(c.wait, id)
	}
}

func (c *Caller) Close() {
	c.once.Do(func() {
		close(c.closed)
		c.mu.Lock()
		for id, reply := range c.wait {
			close(reply)
			delete(c.wait, id)
		}
		c.mu.Unlock()
	})
}
