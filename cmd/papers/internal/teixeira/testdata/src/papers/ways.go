package papers

import "sync"

// Local: the reference on the way to the cell counts, though nobody writes it.

type cell struct{ n int }

var (
	cellMu sync.Mutex
	theOne = new(cell)
)

func getCell() int {
	cellMu.Lock()
	defer cellMu.Unlock()
	return theOne.n
}

func setCell(n int) {
	cellMu.Lock()
	defer cellMu.Unlock()
	theOne.n = n
}

func increment() {
	n := getCell()
	setCell(n + 1) // want `RwR: cell.n is read at line \d+ .* and theOne here` `RwW: cell.n is read`
}

func runCell() {
	go increment()
	go increment()
}

// Connection: so does the socket on the way to its flag.

type socket struct{ closed bool }

type conn struct {
	mu   sync.Mutex
	sock *socket
	sent int
}

func (c *conn) isOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.sock.closed
}

func (c *conn) send() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.sock.closed {
		c.sent++
	}
}

func (c *conn) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sock.closed = true
}

func (c *conn) trySend() {
	if c.isOpen() {
		c.send() // want `RwR: socket.closed is read at line \d+ .* and conn.sent here` `RwR: socket.closed .* and conn.sock here`
	}
}

func runConn(c *conn) {
	go c.trySend()
	go c.shut()
}

// Buffer: a loop is gone through once, so that nothing comes after add.

type ring struct {
	mu         sync.Mutex
	cells      []int
	head, tail int
}

func (r *ring) next() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.cells[r.head]
	r.head++
	return v
}

func (r *ring) add(v int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cells[r.tail] = v
	r.tail++
}

func work(r *ring) {
	for {
		v := r.next()
		r.add(v) // want `RwR: ring.cells .* ring.tail here` `RwR: ring.head .* ring.cells here` `RwR: ring.head .* ring.tail here` `RwW: ring.cells` `WrW: ring.head .* ring.cells here` `WrW: ring.head .* ring.tail here`
	}
}

func runRing(r *ring) {
	go work(r)
	go work(r)
}

// DoubleCheck is right, but it is reported.

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
		if s.update(old, old+1) { // want `RwW: shared.field`
			return
		}
	}
}

func runShared(s *shared) {
	go step(s)
	go step(s)
}

// UnderReporting: one method is both atoms and the threat.

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
	c.inc(i) // want `RwW: counter.i is read at line \d+ \(by \(\*counter\).inc\) and written here \(by \(\*counter\).inc\), in two critical sections; in between it may be written by \(\*counter\).inc$`
}

func runCounter(c *counter) {
	go double(c)
	go double(c)
}

// Jigsaw: the check and the lookup, but not the check and the shutdown, unless
// there is a way past the lookup.

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
	return m.entries[key]
}

func (m *manager) shutdown() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.entries)
	m.closed = true
}

func (m *manager) load() {
	if m.isClosed() {
		panic("closed")
	}
	m.lookup("index") // want `^RwR: manager.closed is read at line \d+ .* and manager.entries here`
}

func (m *manager) run() {
	m.load()
	m.shutdown() // want `RwW: manager.entries is read at line \d+ \(by \(\*manager\).lookup\)`
}

func runManager(m *manager) {
	go m.run()
	go m.run()
}
