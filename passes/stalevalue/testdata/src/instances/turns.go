package instances

import (
	"context"
	"sync"
	"time"
)

// A Belt has one worker at a time, which is started when there is work, and ends when there is none.
type Belt struct {
	mu      sync.Mutex
	jobs    []func()
	running bool
	done    int
}

// Put starts a worker if there is none.
func (b *Belt) Put(job func()) {
	b.mu.Lock()
	b.jobs = append(b.jobs, job)
	if b.running {
		b.mu.Unlock()
		return
	}
	b.running = true
	b.mu.Unlock()
	go b.work()
}

func (b *Belt) work() {
	for {
		b.mu.Lock()
		if len(b.jobs) == 0 {
			b.running = false
			b.mu.Unlock()
			return
		}
		job := b.jobs[0]
		b.jobs = b.jobs[1:]
		n := b.done
		b.mu.Unlock()
		job()
		b.mu.Lock()
		b.done = n + 1
		b.mu.Unlock()
	}
}

// A Chute lets the next worker start before this one has counted.
type Chute struct {
	mu      sync.Mutex
	jobs    []func()
	running bool
	done    int
}

// Put starts a worker if there is none.
func (c *Chute) Put(job func()) {
	c.mu.Lock()
	c.jobs = append(c.jobs, job)
	if c.running {
		c.mu.Unlock()
		return
	}
	c.running = true
	c.mu.Unlock()
	go c.work()
}

func (c *Chute) work() {
	c.mu.Lock()
	jobs := c.jobs
	c.jobs = nil
	n := c.done
	c.running = false
	c.mu.Unlock()
	for _, job := range jobs {
		job()
	}
	c.mu.Lock()
	c.done = n + len(jobs) // want `c.done was read`
	c.mu.Unlock()
}

// A Watch is started again after its end.
type Watch struct {
	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{}

	data sync.Mutex
	seen int
}

// Start starts the goroutine if there is none.
func (w *Watch) Start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	w.cancel, w.done = cancel, done
	go func() {
		defer close(done)
		w.look(ctx)
	}()
}

// Stop waits for the end of the goroutine.
func (w *Watch) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel == nil {
		return
	}
	w.cancel()
	<-w.done
	w.cancel = nil
}

func (w *Watch) look(ctx context.Context) {
	for ctx.Err() == nil {
		w.data.Lock()
		n := w.seen
		w.data.Unlock()
		w.data.Lock()
		w.seen = n + 1
		w.data.Unlock()
	}
}

// A Guard is started again while the one before may still be at work.
type Guard struct {
	mu     sync.Mutex
	cancel context.CancelFunc
	done   chan struct{}

	data sync.Mutex
	seen int
}

// Start starts the goroutine if there is none.
func (g *Guard) Start() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	g.cancel, g.done = cancel, done
	go func() {
		defer close(done)
		g.look(ctx)
	}()
}

// Stop does not wait.
func (g *Guard) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cancel != nil {
		g.cancel()
		g.cancel = nil
	}
}

func (g *Guard) look(ctx context.Context) {
	for ctx.Err() == nil {
		g.data.Lock()
		n := g.seen
		g.data.Unlock()
		g.data.Lock()
		g.seen = n + 1 // want `g.seen was read`
		g.data.Unlock()
	}
}

// A Pulse calls itself again and again.
type Pulse struct {
	mu   sync.Mutex
	beat int
}

// NewPulse starts it.
func NewPulse() *Pulse {
	p := &Pulse{}
	time.AfterFunc(time.Second, p.tick)
	return p
}

func (p *Pulse) tick() {
	p.mu.Lock()
	n := p.beat
	p.mu.Unlock()
	p.mu.Lock()
	p.beat = n + 1
	p.mu.Unlock()
	time.AfterFunc(time.Second, p.tick)
}

// A Flutter sets the next call off before it has done its own work.
type Flutter struct {
	mu   sync.Mutex
	beat int
}

// NewFlutter starts it.
func NewFlutter() *Flutter {
	f := &Flutter{}
	time.AfterFunc(time.Second, f.tick)
	return f
}

func (f *Flutter) tick() {
	time.AfterFunc(time.Second, f.tick)
	f.mu.Lock()
	n := f.beat
	f.mu.Unlock()
	f.mu.Lock()
	f.beat = n + 1 // want `f.beat was read`
	f.mu.Unlock()
}
