// Package papers has the four examples of the paper, in their shape, each beside
// code that is right, and some of the programs of others.
package papers

import (
	"sync"
	"sync/atomic"
)

// Account is found: the regions read and write.

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) get() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) set(b int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = b
}

func (a *account) update(amount int) {
	b := a.get()
	a.set(b + amount) // want `^method-view: account.balance \(read\) at line 30, and account.balance \(written\) here, lie in two regions, but in one view, of \(\*account\).update, \(\*account\).pay$`
}

func (a *account) pay(amount int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += amount
}

// Two goroutines run each.
func runAccount(a *account) {
	for range 2 {
		go a.update(5)
		go a.pay(5)
	}
}

// UnderReporting is not found: the two regions have the same view.

type counter struct {
	mu sync.Mutex
	i  int
}

func (c *counter) inc(a int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.i += a
	return c.i
}

func double(c *counter) {
	i := c.inc(0)
	c.inc(i)
}

func runCounter(c *counter) {
	go double(c)
	go double(c)
}

// OverReporting is right, but it is reported.

type table struct {
	done         atomic.Bool
	mu           sync.Mutex
	keys, values []string
}

func (t *table) init() {
	if !t.done.Load() {
		t.sets()
	}
}

func (t *table) sets() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done.Store(true)
	t.keys = make([]string, 10)
	t.values = make([]string, len(t.keys))
}

func (t *table) get(key string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, k := range t.keys {
		if k == key {
			return t.values[i]
		}
	}
	return ""
}

func client(t *table) string {
	t.init()
	return t.get("a") // want `table.done \(written\), table.keys \(read\), table.keys \(written\), table.values \(written\) at line 106, and table.keys \(read\), table.values \(read\) here, .* of client$`
}

func runTable(t *table) {
	go client(t)
	go client(t)
}

// Jigsaw is found.

type manager struct {
	mu      sync.Mutex
	closed  bool
	entries map[string]int
}

func (m *manager) isClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

func (m *manager) lookup(key string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[key]++
	return m.entries[key]
}

func (m *manager) shutdown() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.entries)
	m.closed = true
}

func (m *manager) load() int {
	if m.isClosed() {
		return 0
	}
	return m.lookup("index") // want `manager.closed \(read\) at line 144, and manager.entries \(read\), manager.entries \(written\) here, .* of \(\*manager\).load, \(\*manager\).loadAtOnce$`
}

// loadAtOnce has one region, but shutdown after it has another.
func (m *manager) loadAtOnce() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0
	}
	m.entries["index"]++
	return m.entries["index"]
}

func runManager(m *manager) {
	go func() {
		m.load()
		m.loadAtOnce()
	}()
	go m.shutdown()
}

// Coord03: t3 takes the view of t4 apart, and its own. So it would if nobody wrote
// the two together. t4 is a chain.

type coord struct {
	mu   sync.Mutex
	x, y int
}

func (c *coord) getX() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x
}

func (c *coord) getY() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.y
}

func (c *coord) sum() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x + c.y
}

func (c *coord) setXY(x, y int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x, c.y = x, y
}

func t3(c *coord) int {
	x := c.getX()
	return x + c.getY() // want `of t3, \(\*coord\).sum, t4$`
}

func t4(c *coord) int { return c.getX() + c.sum() }

func runCoord(c *coord) {
	go c.setXY(1, 1)
	go t3(c)
	go t4(c)
}

// Coord04: reset takes the view of swap apart.

type point struct {
	mu   sync.Mutex
	x, y int
}

func (p *point) swap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x, p.y = p.y, p.x
}

func (p *point) resetX() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.x = 0
}

func (p *point) resetY() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.y = 0
}

func (p *point) reset() {
	p.resetX()
	p.resetY() // want `point.x \(written\) .* point.y \(written\) .* of \(\*point\).reset, \(\*point\).swap$`
}

func runPoint(p *point) {
	go p.swap()
	go p.reset()
}

// DoubleCheck is a chain: the read is a part of the update.

type shared struct {
	mu    sync.Mutex
	field int
}

func (s *shared) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.field
}

func (s *shared) update(old, new int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.field != old {
		return false
	}
	s.field = new
	return true
}

func step(s *shared) {
	for {
		old := s.get()
		if s.update(old, old+1) {
			return
		}
	}
}

func runShared(s *shared) {
	go step(s)
	go step(s)
}
