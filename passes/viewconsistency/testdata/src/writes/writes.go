// Package writes has pairs that are written apart.
package writes

import "sync"

type coord struct {
	mu   sync.Mutex
	x, y int
}

func (c *coord) SetX(x int) {
	c.mu.Lock()
	c.x = x
	c.mu.Unlock()
}

func (c *coord) SetY(y int) {
	c.mu.Lock()
	c.y = y
	c.mu.Unlock()
}

func (c *coord) XY() (int, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x, c.y
}

// Reset is seen half done by XY.
func (c *coord) Reset() {
	c.SetX(0)
	c.SetY(0) // want `split-write: c\.x at line 31 and c\.y here are written apart, in separate critical sections, but read together by \(\*coord\)\.XY under coord\.mu \(writes\.go:`
}

func (c *coord) ResetAtOnce() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x, c.y = 0, 0
}

// Scale puts in what comes from one source.
func (c *coord) Scale(n int) {
	c.SetX(n)
	c.SetY(n * 2) // want `split-write: c\.x at line 43 and c\.y here are written apart, in separate critical sections`
}

type position struct{ x, y int }

func (c *coord) Move(to position) {
	c.SetX(to.x)
	c.SetY(to.y) // want `split-write: c\.x at line 50 and c\.y here are written apart, in separate critical sections`
}

func (c *coord) MoveTo(read func() position) {
	p := read()
	c.SetX(p.x)
	c.SetY(p.y) // want `split-write: c\.x at line 56 and c\.y here are written apart, in separate critical sections`
}

// Steer puts in two things from different places.
func (c *coord) Steer() {
	c.SetX(wheel())
	c.SetY(pedal())
}

// What is read by nobody together.

type lamp struct {
	mu           sync.Mutex
	power, color int
}

func (l *lamp) Power() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.power
}

func (l *lamp) Color() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.color
}

func (l *lamp) Reset() {
	l.mu.Lock()
	l.power = 0
	l.mu.Unlock()
	l.mu.Lock()
	l.color = 0
	l.mu.Unlock()
}

// What is read together, and used for different things.

type job struct {
	mu     sync.Mutex
	name   string
	visits int
}

func (j *job) Each(name func(string), visits func(int)) {
	j.mu.Lock()
	n, v := j.name, j.visits
	j.mu.Unlock()
	name(n)
	visits(v)
}

func (j *job) Reset() {
	j.mu.Lock()
	j.name = ""
	j.mu.Unlock()
	j.mu.Lock()
	j.visits = 0
	j.mu.Unlock()
}

// An update in two steps of what another swaps.

type swapper struct {
	mu   sync.Mutex
	a, b *int
}

func (s *swapper) Swap() {
	s.mu.Lock()
	s.a, s.b = s.b, s.a
	s.mu.Unlock()
}

func (s *swapper) Clear() {
	s.mu.Lock()
	s.a = nil
	s.mu.Unlock()
	s.mu.Lock()
	s.b = nil // want `split-write: s\.a at line 134 and s\.b here are written apart, in separate critical sections`
	s.mu.Unlock()
}

// Steps that are operations of their own.

type buffer struct {
	mu    sync.Mutex
	data  []byte
	used  int
	total int
}

func (b *buffer) Stats() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.total - b.used
}

// Grow and Use each add what they add.
func (b *buffer) Take(n int) {
	b.mu.Lock()
	b.used += n
	b.mu.Unlock()
	b.mu.Lock()
	b.total += n
	b.mu.Unlock()
}

// Trim decides by what it finds.
func (b *buffer) Trim() {
	b.mu.Lock()
	if b.total > 100 {
		b.used = 0
	}
	b.mu.Unlock()
	b.mu.Lock()
	b.total = 0
	b.mu.Unlock()
}

// Elements of two maps under one key.

type prices struct {
	mu    sync.Mutex
	title map[string]string
	price map[string]int
}

func (b *prices) Offer(id string) (string, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.title[id], b.price[id]
}

func (b *prices) Add(id, title string, price int) {
	b.mu.Lock()
	b.title[id] = title
	b.mu.Unlock()
	b.mu.Lock()
	b.price[id] = price // want `split-write: b\.title\[id\] at line 194 and b\.price\[id\] here are written apart, in separate critical sections`
	b.mu.Unlock()
}

func (b *prices) AddAtOnce(id, title string, price int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.title[id] = title
	b.price[id] = price
}

func (b *prices) SetTitle(id, title string)     { b.mu.Lock(); b.title[id] = title; b.mu.Unlock() }
func (b *prices) SetPrice(id string, price int) { b.mu.Lock(); b.price[id] = price; b.mu.Unlock() }

func (b *prices) Wipe(id string) {
	b.SetTitle(id, "")
	b.SetPrice(id, 0) // want `split-write: b\.title\[id\] at line 212 and b\.price\[id\] here are written apart, in separate critical sections`
}

func (b *prices) WipeAll(ids []string) {
	for _, id := range ids {
		b.SetTitle(id, "")
		b.SetPrice(id, 0) // want `split-write: b\.title.* at line 218 and b\.price.* here are written apart, in separate critical sections`
	}
}

// Of two prices.

func (b *prices) AddTwo(id, title, other string, price int) {
	b.SetTitle(id, title)
	b.SetPrice(other, price)
}

func (b *prices) WipeTwo(id, other string) {
	b.SetTitle(id, "")
	b.SetPrice(other, 0)
}

func (b *prices) WipeFixed() {
	b.SetTitle("first", "")
	b.SetPrice("second", 0)
}

// Flags that are never taken back.

type door struct {
	mu             sync.Mutex
	closed, locked bool
}

func (d *door) Shut() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.mu.Lock()
	d.locked = true
	d.mu.Unlock()
}

func (d *door) Safe() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed && d.locked
}

// Flags that are.

type gate struct {
	mu          sync.Mutex
	shut, alarm bool
}

func (g *gate) Shut() {
	g.mu.Lock()
	g.shut = true
	g.mu.Unlock()
	g.mu.Lock()
	g.alarm = true // want `split-write: g\.shut at line 271 and g\.alarm here are written apart, in separate critical sections`
	g.mu.Unlock()
}

func (g *gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.alarm, g.shut = false, false
}

func (g *gate) Safe() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut && g.alarm
}

// Where things come from.

var wheel, pedal func() int

// What a caller passes in one call is one thing.
func (c *coord) Set(x, y int) {
	c.SetX(x)
	c.SetY(y) // want `split-write: c\.x at line 296 and c\.y here are written apart, in separate critical sections`
}

// Patch does not always put in both.
func (c *coord) Patch(x, y *int) {
	if x != nil {
		c.SetX(*x)
	}
	if y != nil {
		c.SetY(*y) // want `split-write: c\.x at line 303 and c\.y here are written apart, in separate critical sections`
	}
}

func (c *coord) SetLater(x, y int) {
	go func() {
		c.SetX(x)
		c.SetY(y) // want `split-write: c\.x at line 312 and c\.y here are written apart, in separate critical sections`
	}()
}

// Steered puts in one that was passed, and another.
func (c *coord) Steered(x int) {
	c.SetX(x)
	c.SetY(pedal())
}

// The parts of two objects.
func Spread(c, d *coord, x, y int) {
	c.SetX(x)
	d.SetY(y)
}

// Elements under a key that is computed.

type catalogue struct {
	mu    sync.Mutex
	title map[string]string
	price map[string]int
}

func (b *catalogue) SetTitle(id, title string)     { b.mu.Lock(); b.title[id] = title; b.mu.Unlock() }
func (b *catalogue) SetPrice(id string, price int) { b.mu.Lock(); b.price[id] = price; b.mu.Unlock() }

func (b *catalogue) Offer(id string) (string, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.title[id], b.price[id]
}

func (b *catalogue) Wipe(id string) {
	b.SetTitle("book/"+id, "")
	b.SetPrice("book/"+id, 0) // want `split-write: b\.title\[…\] at line \d+ and b\.price\[…\] here are written apart`
}

// The first write tells whether there is something to reset.

type ballot struct {
	mu   sync.Mutex
	term int
	vote string
}

// enter reports whether the term is a new one.
func (b *ballot) enter(term int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if term <= b.term {
		return false
	}
	b.term = term
	return true
}

func (b *ballot) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.vote = ""
}

func (b *ballot) Observe(term int) {
	if b.enter(term) {
		b.forget() // want `split-write: b\.term at line \d+ and b\.vote here are written apart, in separate critical sections`
	}
}

// Campaign writes both together.
func (b *ballot) Campaign(self string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.term++
	b.vote = self
	return b.term
}

// ObserveAtOnce is one section.
func (b *ballot) ObserveAtOnce(term int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if term > b.term {
		b.term, b.vote = term, ""
	}
}

// An update by two setters, of which one hands out what it replaces.

type atlas struct {
	mu    sync.Mutex
	roads []string
	maps  map[string][]int
}

func (a *atlas) find(road string) []int {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.roads {
		if r == road {
			return a.maps[r]
		}
	}
	return nil
}

func (a *atlas) names() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.maps)
}

func (a *atlas) setRoads(roads []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.roads = roads
}

func (a *atlas) setMaps(maps map[string][]int) (old map[string][]int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	old, a.maps = a.maps, maps
	return old
}

func (a *atlas) Replace(roads []string, maps map[string][]int) int {
	old := a.setMaps(maps)
	a.setRoads(roads) // want `split-write: a\.maps at line \d+ and a\.roads here are written apart`
	return len(old)
}

func (a *atlas) ReplaceAtOnce(roads []string, maps map[string][]int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.roads, a.maps = roads, maps
}
