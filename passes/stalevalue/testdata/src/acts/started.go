// Package acts has acts that are no writes: goroutines that are started twice, flags that the
// goroutine sets which is started, channels that are sent to after they have been closed.
package acts

import (
	"errors"
	"sync"
	"sync/atomic"
)

// A Syncer runs one synchronization at a time.
type Syncer struct {
	mu      sync.Mutex
	running bool
	rounds  int
}

// Kick starts a synchronization unless one runs; the goroutine sets the flag.
func (s *Syncer) Kick() {
	s.mu.Lock()
	busy := s.running
	s.mu.Unlock()
	if busy {
		return
	}
	go s.sync() // want `s.running was checked at line \d+, but it is only set by the goroutine that is started here and another goroutine may find the same before that, and start a second one`
}

func (s *Syncer) sync() {
	s.mu.Lock()
	s.running = true
	s.mu.Unlock()
	s.rounds++
	s.mu.Lock()
	s.running = false
	s.mu.Unlock()
}

// A Pump starts its goroutine unless one runs, and the goroutine claims the flag before it does anything.
type Pump struct {
	running atomic.Bool
	rounds  atomic.Int64
}

func (p *Pump) Kick() {
	if !p.running.Load() {
		go p.pump()
	}
}

func (p *Pump) pump() {
	if !p.running.CompareAndSwap(false, true) {
		return
	}
	defer p.running.Store(false)
	p.rounds.Add(1)
}

// A Dialer keeps one connection.
type Dialer struct {
	mu   sync.Mutex
	conn *conn
}

type conn struct{ addr string }

func dial(addr string) *conn { return &conn{addr} }

// Connect dials in the background.
func (d *Dialer) Connect(addr string) {
	d.mu.Lock()
	have := d.conn != nil
	d.mu.Unlock()
	if !have {
		go func() { // want `d.conn was checked .* start a second one`
			c := dial(addr)
			d.mu.Lock()
			d.conn = c
			d.mu.Unlock()
		}()
	}
}

// A Refresher refreshes in the background, at most one at a time.
type Refresher struct {
	mu         sync.Mutex
	refreshing bool
	value      int
}

// Get claims before it starts.
func (r *Refresher) Get() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.refreshing {
		r.refreshing = true
		go r.refresh()
	}
	return r.value
}

// GetUnclaimed leaves the claim to the goroutine, and is called under the lock.
func (r *Refresher) GetUnclaimed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.refreshing {
		go r.claimAndRefresh() // want `r.refreshing was checked .* start a second one`
	}
	return r.value
}

func (r *Refresher) claimAndRefresh() {
	r.mu.Lock()
	r.refreshing = true
	r.mu.Unlock()
	r.refresh()
}

func (r *Refresher) refresh() {
	v := compute()
	r.mu.Lock()
	r.value, r.refreshing = v, false
	r.mu.Unlock()
}

func compute() int { return 1 }

// GetLooking starts a goroutine that looks by itself.
func (r *Refresher) GetLooking() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.refreshing {
		go r.lookAndRefresh()
	}
	return r.value
}

func (r *Refresher) lookAndRefresh() {
	r.mu.Lock()
	if r.refreshing {
		r.mu.Unlock()
		return
	}
	r.refreshing = true
	r.mu.Unlock()
	r.refresh()
}

// A Monitor watches things, each by one goroutine.
type Monitor struct {
	mu     sync.Mutex
	things map[string]*thing
	count  int
}

type thing struct {
	name    string
	watched atomic.Bool
}

// Watch finds or creates a thing.
func (m *Monitor) Watch(name string) *thing {
	m.mu.Lock()
	t := m.things[name]
	m.mu.Unlock()
	isNew := t == nil
	if isNew {
		t = m.getOrAdd(name)
	}
	if isNew {
		go m.observe(t) // want `m.things\[name\] was checked at line \d+, but m.mu was released at line \d+ and another goroutine may find the same before that, and start a second one`
	}
	return t
}

func (m *Monitor) getOrAdd(name string) *thing {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.things[name]; t != nil {
		return t
	}
	t := &thing{name: name}
	m.things[name] = t
	return t
}

func (m *Monitor) observe(t *thing) {
	for i := 0; i < 10; i++ {
		m.mu.Lock()
		m.count++
		m.mu.Unlock()
	}
}

// WatchNew starts the goroutine if it is the one who has added the thing.
func (m *Monitor) WatchNew(name string) *thing {
	m.mu.Lock()
	t := m.things[name]
	m.mu.Unlock()
	if t == nil {
		var added bool
		if t, added = m.add(name); added {
			go m.observe(t)
		}
	}
	return t
}

func (m *Monitor) add(name string) (*thing, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.things[name]; t != nil {
		return t, false
	}
	t := &thing{name: name}
	m.things[name] = t
	return t, true
}

// WatchSwap starts a goroutine that claims the thing by itself.
func (m *Monitor) WatchSwap(name string) *thing {
	m.mu.Lock()
	t := m.things[name]
	m.mu.Unlock()
	isNew := t == nil
	if isNew {
		t = m.getOrAdd(name)
		go m.observeOnce(t)
	}
	return t
}

func (m *Monitor) observeOnce(t *thing) {
	if t.watched.Swap(true) {
		return
	}
	m.observe(t)
}

// WatchIf claims the thing before the start.
func (m *Monitor) WatchIf(name string) *thing {
	m.mu.Lock()
	t := m.things[name]
	m.mu.Unlock()
	if t == nil {
		t = m.getOrAdd(name)
		if t.watched.CompareAndSwap(false, true) {
			go m.observe(t)
		}
	}
	return t
}

// A Pool has workers that drain one queue and end.
type Pool struct {
	mu      sync.Mutex
	queue   []func()
	workers int
	max     int
}

// Submit counts a worker before it starts it.
func (p *Pool) Submit(job func()) {
	p.mu.Lock()
	p.queue = append(p.queue, job)
	start := p.workers < p.max
	if start {
		p.workers++
	}
	p.mu.Unlock()
	if start {
		go p.work()
	}
}

func (p *Pool) work() {
	for {
		p.mu.Lock()
		if len(p.queue) == 0 {
			p.workers--
			p.mu.Unlock()
			return
		}
		job := p.queue[0]
		p.queue = p.queue[1:]
		p.mu.Unlock()
		job()
	}
}

// A Drainer has goroutines that take what there is: one too many finds nothing.
type Drainer struct {
	mu    sync.Mutex
	items []int
	total int
}

// Put starts a goroutine for the first item.
func (d *Drainer) Put(n int) {
	d.mu.Lock()
	first := len(d.items) == 0
	d.items = append(d.items, n)
	d.mu.Unlock()
	if first {
		go d.drain()
	}
}

// Poke starts a goroutine if there is something left.
func (d *Drainer) Poke() {
	d.mu.Lock()
	n := len(d.items)
	d.mu.Unlock()
	if n > 0 {
		go d.drain()
	}
}

func (d *Drainer) drain() {
	d.mu.Lock()
	items := d.items
	d.items = nil
	d.mu.Unlock()
	sum := 0
	for _, n := range items {
		sum += n
	}
	d.mu.Lock()
	d.total += sum
	d.mu.Unlock()
}

// A Ticker is started by a constructor, and by a sync.Once.
type Ticker struct {
	mu   sync.Mutex
	on   bool
	once sync.Once
}

// NewTicker starts the goroutine of a fresh object.
func NewTicker() *Ticker {
	t := &Ticker{}
	if !t.on {
		go t.run()
	}
	return t
}

// Ensure starts it at most once.
func (t *Ticker) Ensure() {
	t.mu.Lock()
	on := t.on
	t.mu.Unlock()
	if !on {
		t.once.Do(func() { go t.run() })
	}
}

func (t *Ticker) run() {
	t.mu.Lock()
	t.on = true
	t.mu.Unlock()
}

// A Probe is started by a goroutine of its own, which makes all decisions.
type Probe struct {
	mu   sync.Mutex
	up   bool
	kick chan struct{}
}

// NewProbe starts the goroutine.
func NewProbe() *Probe {
	p := &Probe{kick: make(chan struct{})}
	go p.loop()
	return p
}

func (p *Probe) isUp() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.up
}

func (p *Probe) setUp(up bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.up = up
}

// loop sets the flag itself, and the goroutine only clears it.
func (p *Probe) loop() {
	for range p.kick {
		if p.isUp() {
			continue
		}
		p.setUp(true)
		go p.check()
	}
}

func (p *Probe) check() {
	p.setUp(false)
}

// A Lamp has a loop that leaves the flag to the goroutine.
type Lamp struct {
	lit  atomic.Bool
	kick chan struct{}
}

// NewLamp starts the goroutine.
func NewLamp() *Lamp {
	l := &Lamp{kick: make(chan struct{})}
	go l.loop()
	return l
}

// loop is the only one to decide, and comes round before the goroutine runs.
func (l *Lamp) loop() {
	for range l.kick {
		if !l.lit.Load() {
			go l.burn() // want `l.lit was checked .* start a second one`
		}
	}
}

func (l *Lamp) burn() {
	l.lit.Store(true)
	compute()
	l.lit.Store(false)
}

// A Fuse burns once: it is lit by the only run of its goroutine.
type Fuse struct {
	lit atomic.Bool
}

// NewFuse starts the goroutine.
func NewFuse() *Fuse {
	f := &Fuse{}
	go f.once()
	return f
}

func (f *Fuse) once() {
	if !f.lit.Load() {
		go f.burn()
	}
}

func (f *Fuse) burn() { f.lit.Store(true) }

// WatchOrFail is told by an error that somebody else has added the thing.
func (m *Monitor) WatchOrFail(name string) error {
	m.mu.Lock()
	t := m.things[name]
	m.mu.Unlock()
	if t != nil {
		return nil
	}
	t = &thing{name: name}
	if err := m.insert(t); err != nil {
		return err
	}
	go m.observe(t)
	return nil
}

func (m *Monitor) insert(t *thing) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.things[t.name] != nil {
		return errExists
	}
	m.things[t.name] = t
	return nil
}

var errExists = errors.New("exists")

// WatchPrepared is told by an error only that the thing cannot be had.
func (m *Monitor) WatchPrepared(name string) error {
	m.mu.Lock()
	t := m.things[name]
	m.mu.Unlock()
	if t != nil {
		return nil
	}
	if err := m.prepare(name); err != nil {
		return err
	}
	go m.observe(t) // want `m.things\[name\] was checked .* start a second one`
	return nil
}

func (m *Monitor) prepare(name string) error {
	if name == "" {
		return errExists
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.things[name] != nil {
		return nil
	}
	m.things[name] = &thing{name: name}
	return nil
}

// A Shift has at most limit workers.
type Shift struct {
	mu      sync.Mutex
	workers int
	limit   int
	jobs    []func()
}

// Submit starts a worker that counts itself when it runs.
func (c *Shift) Submit(job func()) {
	c.mu.Lock()
	c.jobs = append(c.jobs, job)
	room := c.workers < c.limit
	c.mu.Unlock()
	if room {
		go c.work(true) // want `c\.workers was checked at line \d+`
	}
}

// SubmitCounted counts the worker where it is decided to start it.
func (c *Shift) SubmitCounted(job func()) {
	c.mu.Lock()
	c.jobs = append(c.jobs, job)
	room := c.limit > c.workers
	if room {
		c.workers++
	}
	c.mu.Unlock()
	if room {
		go c.run()
	}
}

func (c *Shift) work(bool) {
	c.mu.Lock()
	c.workers++
	c.mu.Unlock()
	c.run()
}

func (c *Shift) run() {
	for {
		c.mu.Lock()
		if len(c.jobs) == 0 {
			c.workers--
			c.mu.Unlock()
			return
		}
		job := c.jobs[0]
		c.jobs = c.jobs[1:]
		c.mu.Unlock()
		job()
	}
}

// A Worksite is cleared when it takes no more work and nobody works there.
type Worksite struct {
	mu     sync.Mutex
	closed bool
	active int
	idle   *sync.Cond
}

func NewWorksite() *Worksite {
	y := &Worksite{}
	y.idle = sync.NewCond(&y.mu)
	return y
}

func (y *Worksite) open() bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	return !y.closed
}

// Submit starts a goroutine that counts itself.
func (y *Worksite) Submit(job func()) {
	if !y.open() {
		return
	}
	go y.work(job) // want `y\.closed was checked at line \d+, but y\.mu was released when open returned and another goroutine may set it, and find that nobody is counted, before the goroutine that is started here counts itself`
}

func (y *Worksite) enter() bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.closed {
		return false
	}
	y.active++
	return true
}

// SubmitCounted counts in the section of the look.
func (y *Worksite) SubmitCounted(job func()) {
	if !y.enter() {
		return
	}
	go y.finish(job)
}

func (y *Worksite) work(job func()) {
	y.mu.Lock()
	y.active++
	y.mu.Unlock()
	y.finish(job)
}

func (y *Worksite) finish(job func()) {
	job()
	y.mu.Lock()
	y.active--
	y.idle.Broadcast()
	y.mu.Unlock()
}

func (y *Worksite) Clear(clear func()) {
	y.mu.Lock()
	y.closed = true
	for y.active > 0 {
		y.idle.Wait()
	}
	y.mu.Unlock()
	clear()
}
