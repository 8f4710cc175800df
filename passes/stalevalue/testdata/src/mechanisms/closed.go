package mechanisms

import "sync"

type pump struct {
	mu     sync.Mutex
	quit   chan struct{}
	once   sync.Once
	hook   func()
	closer func()
}

func newPump(late <-chan bool) *pump {
	p := &pump{quit: make(chan struct{})}
	for range 2 {
		go func() {
			if <-late {
				p.Quit()
			} else {
				p.Halt()
			}
		}()
	}
	return p
}

// Quit closes the channel twice if two goroutines find it open.
func (p *pump) Quit() {
	select {
	case <-p.quit:
	default:
		close(p.quit) // want `check-then-act: p\.quit\.closed was checked at line \d+`
	}
}

func (p *pump) stopped() bool {
	select {
	case <-p.quit:
		return true
	default:
		return false
	}
}

func (p *pump) Halt() {
	if p.stopped() {
		return
	}
	close(p.quit) // want `check-then-act: p\.quit\.closed was checked at line \d+`
}

type valve struct {
	mu     sync.Mutex
	done   chan struct{}
	closer func()
}

func newValve() *valve { return &valve{done: make(chan struct{})} }

// Close is safe: all that close the channel have the lock.
func (v *valve) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	select {
	case <-v.done:
		return
	default:
	}
	close(v.done)
	if v.closer != nil {
		v.closer()
	}
}

func (v *valve) closed() bool {
	select {
	case <-v.done:
		return true
	default:
		return false
	}
}

// Open installs what Close does not find any more.
func (v *valve) Open(dial func() func()) {
	if v.closed() {
		return
	}
	c := dial()
	v.mu.Lock()
	v.closer = c // want `check-then-act: v\.done\.closed was checked at line \d+`
	v.mu.Unlock()
}

// Reopen looks again.
func (v *valve) Reopen(dial func() func()) {
	if v.closed() {
		return
	}
	c := dial()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed() {
		c()
		return
	}
	v.closer = c
}

// A field named closed that is cleared is no shutdown, whatever is done afterwards.
type gate struct {
	mu     sync.Mutex
	closed bool
	hooks  map[int]func()
}

func (g *gate) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

func (g *gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = false
	for _, h := range g.hooks {
		h()
	}
}

func (g *gate) Hook(id int, h func()) {
	if g.isClosed() {
		return
	}
	g.mu.Lock()
	g.hooks[id] = h
	g.mu.Unlock()
}

// A queue is something that is sent to, and no flag.
type spool struct{ jobs chan struct{} }

func (s *spool) Add() { s.jobs <- struct{}{} }

func (s *spool) Drain() {
	for {
		select {
		case <-s.jobs:
		default:
			close(s.jobs)
			return
		}
	}
}

// Attach checks in the section of the act: a Close that sets the flag then comes after it.
func (v *valve) Attach(c func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	select {
	case <-v.done:
	default:
		v.closer = c
	}
}

type hub struct {
	mu    sync.Mutex
	shut  bool
	conns map[int]func()
	names map[int]string
}

func (h *hub) isShut() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shut
}

// Close calls what there is.
func (h *hub) Close() {
	h.mu.Lock()
	h.shut = true
	h.mu.Unlock()
	h.hangUp()
}

func (h *hub) hangUp() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		c()
	}
}

// Dial adds what Close does not call any more.
func (h *hub) Dial(id int, dial func() func()) {
	if h.isShut() {
		return
	}
	c := dial()
	h.mu.Lock()
	h.conns[id] = c // want `check-then-act: h\.shut was checked at line \d+`
	h.mu.Unlock()
}

// Name writes what no shutdown is interested in.
func (h *hub) Name(id int, name string) {
	if h.isShut() {
		return
	}
	h.mu.Lock()
	h.names[id] = name
	h.mu.Unlock()
}

// Drop removes, which Close need not know.
func (h *hub) Drop(id int) {
	if h.isShut() {
		return
	}
	h.mu.Lock()
	delete(h.conns, id)
	h.mu.Unlock()
}

// A sidecar is used by one goroutine at a time.
type sidecar struct {
	ran  bool
	done chan struct{}
}

func newSidecar() *sidecar { return &sidecar{done: make(chan struct{})} }

// run notes that it has run, without a lock.
func (s *sidecar) run(serve func()) {
	if s.ran {
		return
	}
	select {
	case <-s.done:
		return
	default:
	}
	go func() {
		serve()
		close(s.done)
	}()
	s.ran = true
}

// again has no such note: two calls find the channel open.
func (s *sidecar) again(serve func()) {
	select {
	case <-s.done:
		return
	default:
	}
	go func() { // want `check-then-act: s\.done\.closed was checked at line \d+`
		serve()
		close(s.done)
	}()
}

func (s *sidecar) wait() { <-s.done }

// A link has requests that wait for an answer.
type link struct {
	mu      sync.Mutex
	waiting map[int]chan string
	gone    chan struct{}
	out     chan int
}

func newLink() *link {
	return &link{waiting: make(map[int]chan string), gone: make(chan struct{}), out: make(chan int)}
}

// Close ends the requests that it finds.
func (l *link) Close() {
	close(l.gone)
	l.mu.Lock()
	for id, ch := range l.waiting {
		close(ch)
		delete(l.waiting, id)
	}
	l.mu.Unlock()
}

func (l *link) isGone() bool {
	select {
	case <-l.gone:
		return true
	default:
		return false
	}
}

// send gives up when the link is gone.
func (l *link) send(id int) bool {
	select {
	case l.out <- id:
		return true
	case <-l.gone:
		return false
	}
}

// Ask enters its request, and then calls a function that waits for the end of the link.
func (l *link) Ask(id int) string {
	if l.isGone() {
		return ""
	}
	ch := make(chan string, 1)
	l.mu.Lock()
	l.waiting[id] = ch
	l.mu.Unlock()
	if !l.send(id) {
		return ""
	}
	return <-ch
}

// Watch enters a request that nobody ends any more.
func (l *link) Watch(id int) <-chan string {
	if l.isGone() {
		return nil
	}
	ch := make(chan string, 1)
	l.mu.Lock()
	l.waiting[id] = ch // want `check-then-act: l\.gone\.closed was checked at line \d+`
	l.mu.Unlock()
	return ch
}
