package instances

import (
	"context"
	"sync"
	"sync/atomic"
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

// An Idler looks whether it was used each time that its timer fires. The timer is stopped before another
// one is set: one runs at a time.
type Idler struct {
	used atomic.Bool

	mu    sync.Mutex
	timer *time.Timer
	runs  int
}

func (i *Idler) Use() {
	i.used.Store(true)
	i.set()
}

func (i *Idler) set() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil {
		i.timer.Stop()
	}
	i.timer = time.AfterFunc(time.Minute, i.expire)
}

func (i *Idler) expire() {
	if i.used.Load() {
		i.used.Store(false)
		i.set()
		return
	}
	i.mu.Lock()
	i.runs++
	i.mu.Unlock()
}

// A Sleeper keeps the last of its timers, and others may be running.
type Sleeper struct {
	used atomic.Bool

	mu    sync.Mutex
	timer *time.Timer
	runs  int
}

func (s *Sleeper) Use() {
	s.used.Store(true)
	s.set()
}

func (s *Sleeper) set() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = time.AfterFunc(time.Minute, s.expire)
}

func (s *Sleeper) expire() {
	if s.used.Load() {
		s.used.Store(false) // want `check-then-act: s\.used was checked`
		s.set()
		return
	}
	s.mu.Lock()
	s.runs++
	s.mu.Unlock()
}

// A Journal is written by what serves it, which does not end without an error.
type Journal struct {
	wake  chan struct{}
	mu    sync.Mutex
	lines []string
	gone  int
}

func (l *Journal) Add(line string) {
	l.mu.Lock()
	l.lines = append(l.lines, line)
	l.mu.Unlock()
}

func (l *Journal) Run(ctx context.Context) error {
	for {
		l.flush()
		select {
		case <-l.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *Journal) flush() {
	l.mu.Lock()
	n := len(l.lines)
	l.mu.Unlock()
	if n == 0 {
		return
	}
	l.mu.Lock()
	l.lines = l.lines[1:]
	l.gone++
	l.mu.Unlock()
}

// A Mailbox is waited for by many.
type Mailbox struct {
	wake  chan struct{}
	mu    sync.Mutex
	lines []string
	gone  int
}

func (m *Mailbox) Add(line string) {
	m.mu.Lock()
	m.lines = append(m.lines, line)
	m.mu.Unlock()
}

func (m *Mailbox) Take(ctx context.Context) error {
	for {
		m.mu.Lock()
		n := len(m.lines)
		m.mu.Unlock()
		if n > 0 {
			m.mu.Lock()
			m.lines = m.lines[1:] // want `check-then-act: m\.lines was checked`
			m.gone++
			m.mu.Unlock()
			return nil
		}
		select {
		case <-m.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Pages are turned by a method that is called once.
type Pages struct {
	mu sync.Mutex
	at int
}

func (p *Pages) get() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

func (p *Pages) put(n int) {
	p.mu.Lock()
	p.at = n
	p.mu.Unlock()
}

// Turn is called once.
func (p *Pages) Turn() { p.put(p.get() + 1) }

// Sheets are turned by a method that is called once for each reader.
type Sheets struct {
	mu sync.Mutex
	at int
}

func (s *Sheets) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

func (s *Sheets) put(n int) {
	s.mu.Lock()
	s.at = n
	s.mu.Unlock()
}

// Turn is called once for each reader.
func (s *Sheets) Turn() { s.put(s.get() + 1) } // want `lost-update: s\.at was read`
