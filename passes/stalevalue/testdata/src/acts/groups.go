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
	s.wg.Add(1) // bug: Stop may have waited
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
	r.wg.Go(func() { f(r.ctx) }) // bug: Stop may have waited
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
	c.install(body) // bug: Shutdown may have been here
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
