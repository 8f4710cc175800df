// Package acts has acts that are no writes: goroutines that are started twice, flags that the
// goroutine sets which is started, channels that are sent to after they have been closed.
package acts

import (
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
	go s.sync() // bug: the flag is set too late
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
		go func() {
			c := dial(addr)
			d.mu.Lock()
			d.conn = c // bug: two may be dialed
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
		go r.claimAndRefresh() // bug: the goroutine runs later
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
		go m.observe(t) // bug: two callers may have found none
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
