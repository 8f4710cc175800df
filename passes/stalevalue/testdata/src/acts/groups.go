package acts

import (
	"context"
	"io"
	"sync"
)

// A Server counts its handlers.
type Server struct {
	mu      sync.Mutex
	stopped bool
	wg      sync.WaitGroup
	jobs    int
}

// Handle checks, and counts in a later section.
func (s *Server) Handle(f func()) {
	s.mu.Lock()
	stopped := s.stopped
	s.mu.Unlock()
	if stopped {
		return
	}
	s.wg.Add(1) // want `s.stopped was checked .* another goroutine may have waited for s.wg before this call adds to it`
	go func() {
		defer s.wg.Done()
		f()
	}()
}

// HandleLocked counts in the section of the check.
func (s *Server) HandleLocked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		f()
	}()
}

// Stop waits for the handlers.
func (s *Server) Stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.wg.Wait()
}

// A Runner is stopped by a context.
type Runner struct {
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// NewRunner returns a runner.
func NewRunner() *Runner {
	r := &Runner{}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Go asks the context.
func (r *Runner) Go(f func(context.Context)) bool {
	select {
	case <-r.ctx.Done():
		return false
	default:
	}
	r.wg.Go(func() { f(r.ctx) }) // want `r.ctx.done was checked .* another goroutine may have waited for r.wg`
	return true
}

// Stop waits.
func (r *Runner) Stop() {
	r.cancel()
	r.wg.Wait()
}

// A Parent counts itself while it starts others.
type Parent struct {
	quit chan struct{}
	wg   sync.WaitGroup
}

// NewParent starts the parent.
func NewParent() *Parent {
	p := &Parent{quit: make(chan struct{})}
	p.wg.Add(1)
	go p.loop()
	return p
}

func (p *Parent) loop() {
	defer p.wg.Done()
	for i := 0; ; i++ {
		select {
		case <-p.quit:
			return
		default:
		}
		p.wg.Add(1)
		go p.child()
	}
}

func (p *Parent) child() { defer p.wg.Done() }

// Stop waits for all.
func (p *Parent) Stop() {
	close(p.quit)
	p.wg.Wait()
}

// A Client installs a connection that Shutdown closes.
type Client struct {
	quit chan struct{}
	mu   sync.Mutex
	body io.ReadCloser
	open func() (io.ReadCloser, error)
}

// NewClient returns a client.
func NewClient(open func() (io.ReadCloser, error)) *Client {
	return &Client{quit: make(chan struct{}), open: open}
}

func (c *Client) connect() (io.ReadCloser, error) {
	select {
	case <-c.quit:
		return nil, io.EOF
	default:
	}
	return c.open()
}

// Run connects and installs.
func (c *Client) Run() error {
	body, err := c.connect()
	if err != nil {
		return err
	}
	c.install(body) // want `c.quit.closed was checked at line \d+, but the atomic operations are separate and another goroutine may change it before this call of install, which writes c.body`
	return nil
}

func (c *Client) install(b io.ReadCloser) {
	c.mu.Lock()
	c.body = b
	c.mu.Unlock()
}

// RunAsking asks again in the section.
func (c *Client) RunAsking() error {
	body, err := c.connect()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.quit:
		return body.Close()
	default:
	}
	c.body = body
	return nil
}

// Shutdown closes what there is.
func (c *Client) Shutdown() {
	close(c.quit)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.body != nil {
		c.body.Close()
	}
}

// A Hall is waited for with a condition variable.
type Hall struct {
	mu     sync.Mutex
	free   *sync.Cond
	full   bool
	guests int
}

// NewHall returns a hall.
func NewHall() *Hall {
	h := &Hall{}
	h.free = sync.NewCond(&h.mu)
	return h
}

func (h *Hall) isFull() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.full
}

// Enter asks in one section and waits in another.
func (h *Hall) Enter() {
	for h.isFull() {
		h.pause() // want `h.full was checked at line \d+, but h.mu was released when isFull returned and another goroutine may change it and wake all that wait, before the wait by \(\*Hall\).pause begins`
	}
}

func (h *Hall) pause() {
	h.mu.Lock()
	h.free.Wait()
	h.mu.Unlock()
}

// EnterOnce asks in the section of the wait.
func (h *Hall) EnterOnce() {
	h.mu.Lock()
	for h.full {
		h.free.Wait()
	}
	h.guests++
	h.mu.Unlock()
}

// EnterAsking waits in a callee that asks again.
func (h *Hall) EnterAsking() {
	for h.isFull() {
		h.pauseIfFull()
	}
}

func (h *Hall) pauseIfFull() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.full {
		h.free.Wait()
	}
}

// SetFull changes it, and wakes.
func (h *Hall) SetFull(full bool) {
	h.mu.Lock()
	h.full = full
	h.free.Broadcast()
	h.mu.Unlock()
}

// A Crew is stopped with a barrier: Stop takes the lock between the flag and the wait.
type Crew struct {
	mu   sync.Mutex
	quit chan struct{}
	wg   sync.WaitGroup
}

// Hire asks and adds under the lock.
func (c *Crew) Hire(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.quit:
		return
	default:
	}
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		f()
	}()
}

// Stop does not set the flag under the lock, but takes it afterwards.
func (c *Crew) Stop() {
	close(c.quit)
	c.mu.Lock()
	c.mu.Unlock()
	c.wg.Wait()
}
