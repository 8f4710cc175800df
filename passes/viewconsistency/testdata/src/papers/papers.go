// Package papers has the programs of the papers: C. Artho, K. Havelund,
// A. Biere, High-level data races, and R. Dias, V. Pessanha, J. Lourenço, Precise
// detection of atomicity violations. Package tables has those that need the
// plain definition of the former.
package papers

import "sync"

// Fig. 4 of the one, Coord03 of the other. The first thread writes both, the
// second reads one, the third reads both apart, and the fourth first one, and
// then both in one section.

type vars struct {
	mu   sync.Mutex
	x, y int
}

type pair struct{ x, y int }

func (p pair) getX() int { return p.x }
func (p pair) getY() int { return p.y }

func (v *vars) getX() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.x
}

func (v *vars) getY() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.y
}

func (v *vars) getXY() pair {
	v.mu.Lock()
	defer v.mu.Unlock()
	return pair{v.x, v.y}
}

func (v *vars) setXY(p pair) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.x, v.y = p.x, p.y
}

func Coord03(use func(int)) {
	v := &vars{}
	for range 10 {
		go v.t1()
		go v.t2(use)
		go v.t3(use)
		go v.t4(use)
	}
}

func (v *vars) t1() { v.setXY(pair{1, 2}) }

func (v *vars) t2(use func(int)) { use(v.getX()) }

func (v *vars) t3(use func(int)) {
	x := v.getX()
	y := v.getY() // want `split-read: v\.x at line 62 and v\.y here are read apart, in separate critical sections, but written together by \(\*vars\)\.setXY under vars\.mu`
	use(x + y)
}

func (v *vars) t4(use func(int)) {
	x := v.getX()
	use(x)
	p := v.getXY()
	use(p.getX() + p.getY())
}

// The fourth, in one expression: what it read first, and what it read then, come
// together. The pair is one pair, still.
func (v *vars) t4sum(use func(int)) {
	x := v.getX()
	p := v.getXY()
	use(p.getX()*p.getY() - x)
}

// Fig. 2, NASA: the Remote Agent. A task achieves a property, which takes its
// time, and then says so. The daemon sees that it was said, and checks it.

const properties = 8

type agent struct {
	mu       sync.Mutex
	value    [properties]int
	achieved [properties]bool
	state    [properties]int
}

func NASA(achieve func(int) int, failed chan<- int) {
	a := &agent{}
	go a.daemon(failed)
	for i := range 3 {
		go a.task(i, achieve)
	}
}

func (a *agent) task(v int, achieve func(int) int) {
	const n = 5
	a.mu.Lock()
	a.value[n] = v
	a.mu.Unlock()
	achieve(v)
	a.mu.Lock()
	a.achieved[n] = true // want `split-write: a\.value\[5\] at line 105 and a\.achieved\[5\] here are written apart, in separate critical sections, but read together by \(\*agent\)\.failed under agent\.mu`
	a.mu.Unlock()
}

func (a *agent) failed() bool {
	const n = 5
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.achieved[n] && a.state[n] != a.value[n]
}

func (a *agent) daemon(failed chan<- int) {
	for {
		if a.failed() {
			failed <- 5
		}
	}
}

// All in one section.
func (a *agent) taskAtOnce(v int) {
	const n = 5
	a.mu.Lock()
	defer a.mu.Unlock()
	a.value[n] = v
	a.state[n] = v
	a.achieved[n] = true
}

// Coord04: one thread swaps, the other resets. In between swap saves the old y
// from being reset.

type coord struct {
	mu   sync.Mutex
	x, y int
}

func (c *coord) swap() {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.x
	c.x = c.y
	c.y = x
}

func (c *coord) resetX() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x = 0
}

func (c *coord) resetY() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.y = 0
}

func (c *coord) reset() {
	c.resetX()
	c.resetY() // want `split-write: c\.x at line 167 and c\.y here are written apart, in separate critical sections`
}

func Coord04() {
	c := &coord{x: 1, y: 2}
	var wg sync.WaitGroup
	wg.Go(c.swap)
	wg.Go(c.reset)
	wg.Wait()
}

// Jigsaw: a resource store that may be shut down between the check and the
// lookup, which makes an entry in a closed store.

type resource struct{ path string }

type manager struct {
	mu      sync.Mutex
	closed  bool
	entries map[string]*resource
}

func (m *manager) checkClosed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

func (m *manager) lookup(key string) *resource {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[key]
	if !ok {
		e = &resource{path: key}
		m.entries[key] = e
	}
	return e
}

func (m *manager) shutdown() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.entries)
	m.closed = true
}

// In the order of the evaluation. See package known for the original one, in
// which the check decides about the lookup.
func (m *manager) loadThenCheck(key string) *resource {
	e := m.lookup(key)
	if m.checkClosed() { // want `split-read: m\.entries\[key\] at line 217 and m\.closed here are read apart, in separate critical sections`
		return nil
	}
	return e
}

func (m *manager) loadAtOnce(key string) *resource {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	e, ok := m.entries[key]
	if !ok {
		e = &resource{path: key}
		m.entries[key] = e
	}
	return e
}

func Jigsaw() {
	m := &manager{entries: make(map[string]*resource)}
	for range 3 {
		go func() {
			m.loadThenCheck("b")
			m.loadAtOnce("c")
			m.shutdown()
		}()
	}
}

// StringBuffer: append takes the length and the text of the other apart.

type strbuf struct {
	mu  sync.Mutex
	b   []byte
	len int
}

func (s *strbuf) length() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.len
}

func (s *strbuf) chars(n int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.b[:n]...)
}

func (s *strbuf) setLength(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = s.b[:n]
	s.len = n
}

func (s *strbuf) appendFrom(o *strbuf) {
	n := o.length()
	buf := o.chars(n) // want `split-read: o\.len at line 277 and o\.b here are read apart, in separate critical sections`
	s.mu.Lock()
	s.b = append(s.b, buf...)
	s.len += n
	s.mu.Unlock()
}

// All of it under the lock of the other, too.
func (s *strbuf) appendAtOnce(o *strbuf) {
	o.mu.Lock()
	buf := make([]byte, o.len)
	copy(buf, o.b[:o.len])
	o.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = append(s.b, buf...)
	s.len += len(buf)
}

func StringBuffer() {
	a, b := &strbuf{}, &strbuf{b: []byte("abc"), len: 3}
	go a.appendFrom(b)
	go a.appendAtOnce(b)
	go b.setLength(1)
}

// Connection: the second violation of the two. The socket is closed in one
// section, and the counter set back in another.

type socket struct{ addr string }

type connection struct {
	mu   sync.Mutex
	sock *socket
	n    int
}

func (c *connection) isConnected() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sock != nil
}

func (c *connection) send(msg string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sock != nil {
		c.n++
	}
}

func (c *connection) resetSocket() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sock = nil
}

func (c *connection) resetCounter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = 0
}

func (c *connection) disconnect() {
	c.resetSocket()
	c.resetCounter() // want `split-write: c\.sock at line 342 and c\.n here are written apart, in separate critical sections`
}

func (c *connection) disconnectAtOnce() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sock = nil
	c.n = 0
}

func Connection() {
	c := &connection{sock: new(socket)}
	for range 10 {
		go func() {
			if c.isConnected() {
				c.send("hello")
			}
			c.disconnect()
			c.disconnectAtOnce()
		}()
	}
}

// Store: what a supplier brings is in stock and sold out at the same time.

type product struct {
	mu      sync.Mutex
	n       int
	soldOut bool
}

func (p *product) isConsistent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return (p.n == 0) == p.soldOut
}

func (p *product) setSoldOut(b bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.soldOut = b
}

func (p *product) setNumber(k int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n = k
}

func (p *product) sell(k int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n -= k
	p.soldOut = p.n == 0
}

// supply sets the number to what there is in the warehouse.
func (p *product) supply() bool {
	if !p.isConsistent() {
		return false
	}
	p.setNumber(10)
	p.setSoldOut(false) // want `split-write: p\.n at line 404 and p\.soldOut here are written apart, in separate critical sections`
	return true
}

func Store() {
	p := &product{soldOut: true}
	for range 3 {
		go p.supply()
		go p.sell(1)
	}
}

// Allocate Vector, Account, Knight and the other programs with stale values of
// one variable are not about views.

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) get() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) set(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = n
}

func (a *account) update(n int) { a.set(a.get() + n) }

func Account() {
	a := &account{}
	go a.update(1)
	go a.update(2)
}

// OverReporting: initialization under the lock, with a look before.

type table struct {
	mu     sync.Mutex
	done   bool
	keys   []string
	values []int
}

func (t *table) init() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return
	}
	t.done = true
	t.keys = make([]string, 10)
	t.values = make([]int, 10)
}

func (t *table) get(key string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, k := range t.keys {
		if k == key {
			return t.values[i]
		}
	}
	return 0
}

func OverReporting() {
	t := &table{}
	for range 3 {
		go func() {
			t.init()
			t.get("a")
		}()
	}
}

// Buffer: what is taken out is handed over.

type ring struct {
	mu         sync.Mutex
	cells      [16]int
	head, tail int
}

func (r *ring) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.cells[r.head%16]
	r.head++
	return v
}

func (r *ring) add(v int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cells[r.tail%16] = v
	r.tail++
}

func Buffer(f func(int) int) {
	r := &ring{}
	for range 3 {
		go func() {
			for {
				r.add(f(r.next()))
			}
		}()
	}
}

// Philo: waiting gives up the monitor, and what was read is read again.

type philosophers struct {
	mu    sync.Mutex
	cond  *sync.Cond
	forks [5]bool
	eaten int
}

func (t *philosophers) getForks(i int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.forks[i] || t.forks[(i+1)%5] {
		t.cond.Wait()
	}
	t.forks[i], t.forks[(i+1)%5] = true, true
	t.eaten++
	return t.eaten
}

func (t *philosophers) putForks(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forks[i], t.forks[(i+1)%5] = false, false
	t.cond.Broadcast()
}

func Philo() {
	t := &philosophers{}
	t.cond = sync.NewCond(&t.mu)
	for i := range 5 {
		go func() {
			for t.getForks(i) < 12 {
				t.putForks(i)
			}
			t.putForks(i)
		}()
	}
}
