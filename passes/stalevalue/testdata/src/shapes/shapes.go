// Package shapes has the same mistakes in containers, nested structs, deferred
// calls and goroutines.
package shapes

import "sync"

type visit struct {
	count int
	page  string
}

type Site struct {
	mu     sync.Mutex
	visits map[string]visit
	stats  struct {
		hits  int
		bytes struct{ in, out int }
	}
	queue  []*visit
	max    int
	closed bool
	conns  map[string]*visit
}

func New() *Site { return &Site{visits: map[string]visit{}, conns: map[string]*visit{}} }

// Reset interferes.
func (s *Site) Reset(max int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.visits)
	s.stats.hits = 0
	s.stats.bytes.in, s.stats.bytes.out = 0, 0
	s.queue = nil
	s.max = max
}

func (s *Site) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	clear(s.conns)
}

// Visit changes a copy of an element, and puts it back.
func (s *Site) Visit(name string) {
	s.mu.Lock()
	v := s.visits[name]
	s.mu.Unlock()
	v.count++
	s.mu.Lock()
	s.visits[name] = v // want `lost-update: s\.visits\[name\] was read`
	s.mu.Unlock()
}

func (s *Site) VisitAtOnce(name string) {
	s.mu.Lock()
	v := s.visits[name]
	v.count++
	s.visits[name] = v
	s.mu.Unlock()
}

// Nested fields.
func (s *Site) Hits() {
	s.mu.Lock()
	n := s.stats.hits
	s.mu.Unlock()
	s.mu.Lock()
	s.stats.hits = n * 2 // want `lost-update: s\.stats\.hits was read`
	s.mu.Unlock()
}

func (s *Site) Bytes() {
	s.mu.Lock()
	n := s.stats.bytes.in
	s.mu.Unlock()
	s.mu.Lock()
	s.stats.bytes.in = n / 8 // want `lost-update: s\.stats\.bytes\.in was read`
	s.mu.Unlock()
}

// Enqueue checks the length before it appends.
func (s *Site) Enqueue(v *visit) bool {
	s.mu.Lock()
	room := len(s.queue) < s.max
	s.mu.Unlock()
	if !room {
		return false
	}
	s.mu.Lock()
	s.queue = append(s.queue, v) // want `check-then-act: s\.(queue|max) was checked`
	s.mu.Unlock()
	return true
}

func (s *Site) EnqueueAtOnce(v *visit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) >= s.max {
		return false
	}
	s.queue = append(s.queue, v)
	return true
}

// Connect registers a connection when the site may be closed already.
func (s *Site) Connect(name string, v *visit) bool {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return false
	}
	s.mu.Lock()
	s.conns[name] = v // want `check-then-act: s\.closed was checked at line \d+, but s\.mu was released at line \d+ and another goroutine may change it before this write of s\.conns\[name\]`
	s.mu.Unlock()
	return true
}

func (s *Site) ConnectAtOnce(name string, v *visit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.conns[name] = v
	return true
}

// Shards have a lock each.
type Shards struct {
	part [8]struct {
		mu sync.Mutex
		n  int
	}
}

func (s *Shards) Scale(i int) {
	s.part[i].mu.Lock()
	n := s.part[i].n
	s.part[i].mu.Unlock()
	s.part[i].mu.Lock()
	s.part[i].n = n * 2 // want `lost-update: s\.part.*n was read`
	s.part[i].mu.Unlock()
}

func (s *Shards) Move(i, j int) {
	s.part[i].mu.Lock()
	n := s.part[i].n
	s.part[i].mu.Unlock()
	s.part[j].mu.Lock()
	s.part[j].n = n
	s.part[j].mu.Unlock()
}

// The element is another one by then.
type List struct {
	mu   sync.Mutex
	list []int
	m    map[string]int
}

func (l *List) Same(i int) {
	l.mu.Lock()
	n := l.list[i]
	l.mu.Unlock()
	l.mu.Lock()
	l.list[i] = n * 2 // want `lost-update: l\.list\[i\] was read`
	l.mu.Unlock()
}

func (l *List) Next(i int) {
	l.mu.Lock()
	n := l.list[i]
	l.mu.Unlock()
	i++
	l.mu.Lock()
	l.list[i] = n * 2
	l.mu.Unlock()
}

func (l *List) OtherKey(k string) {
	l.mu.Lock()
	n := l.m[k]
	l.mu.Unlock()
	k += "/old"
	l.mu.Lock()
	l.m[k] = n
	l.mu.Unlock()
}

// The object is another one by then.
type chain struct {
	mu   sync.Mutex
	n    int
	next *chain
}

func Walk(c *chain) {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c = c.next
	c.mu.Lock()
	c.n = n
	c.mu.Unlock()
}

func WalkBack(c *chain) {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	if n > 0 {
		c.mu.Lock()
		c.n = n * n // want `lost-update: c\.n was read`
		c.mu.Unlock()
	}
}

// Deferred acts.
type level struct {
	mu sync.Mutex
	n  int
}

func (l *level) get() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (l *level) set(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = n
}

func (l *level) Deferred(work func()) {
	defer l.set(l.get() + 1) // want `lost-update: l\.n was read`
	work()
}

// Restore sets back what it has changed itself.
func (l *level) Unlocked(work func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.n
	func() {
		l.mu.Unlock()
		defer l.mu.Lock()
		work()
	}()
	l.n = n + 1 // want `lost-update: l\.n was read`
}

// Pointers to fields.
func (l *level) Pointer() {
	p := &l.n
	l.mu.Lock()
	n := *p
	l.mu.Unlock()
	l.mu.Lock()
	*p = n * 2 // want `lost-update: l\.n was read`
	l.mu.Unlock()
}

// As a field of a returned struct.
type snapshot struct{ n, twice int }

func (l *level) snapshot() snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	return snapshot{n: l.n, twice: l.n * 2}
}

func (l *level) FromSnapshot() {
	s := l.snapshot()
	l.set(s.twice) // want `lost-update: l\.n was read`
}

// Values that point to what is shared.

type handle struct{ l *level }

func (h handle) Double() {
	h.l.set(h.l.get() * 2) // want `lost-update: h\.l\.n was read`
}

func byValue(h handle) {
	h.l.mu.Lock()
	n := h.l.n
	h.l.mu.Unlock()
	h.l.mu.Lock()
	h.l.n = n * 2 // want `lost-update: h\.l\.n was read`
	h.l.mu.Unlock()
}

// Local works on a struct that is its own.
func (h handle) Local() int {
	own := handle{l: new(level)}
	own.l.set(own.l.get() * 2)
	return own.l.get()
}

type holder struct {
	mu sync.Mutex
	h  handle
}

func (o *holder) Double() {
	o.mu.Lock()
	h := o.h
	o.mu.Unlock()
	byValue(h)
	h.l.set(h.l.get() * 2) // want `lost-update: .*l\.n was read`
}

func (o *holder) Use(l *level) {
	o.mu.Lock()
	o.h = handle{l}
	o.mu.Unlock()
}

// A meter is more than what it was made from: two of them are not as good as one.
type meter struct {
	mu sync.Mutex
	n  int
}

func (m *meter) inc() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
}

// Meters makes the missing ones in the second passage, but in any case.
type Meters struct {
	mu  sync.RWMutex
	all map[string]*meter
}

func (m *Meters) lookup(name string) *meter {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.all[name]
}

func (m *Meters) Inc(name string) {
	x := m.lookup(name)
	if x == nil {
		m.mu.Lock()
		x = &meter{}
		m.all[name] = x // want `check-then-act: m\.all\[name\] was checked`
		m.mu.Unlock()
	}
	x.inc()
}
