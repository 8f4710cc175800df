// Package locks has all kinds of locks, inside and outside.
package locks

import "sync"

// Read locks. Two of them are two passages, if somebody writes.

type rates struct {
	mu        sync.RWMutex
	buy, sell int
	currency  string
}

func (r *rates) Buy() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.buy
}

func (r *rates) Sell() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.sell
}

func (r *rates) Set(buy, sell int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buy, r.sell = buy, sell
}

func (r *rates) Currency() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.currency
}

type desk struct {
	mu     sync.RWMutex
	r      *rates
	orders int
}

func (d *desk) Spread() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	buy := d.r.Buy()
	return d.r.Sell() - buy // want `reacquire: d\.r\.mu is taken again here, after line 47, in one critical section of d\.mu; what the first passage reads of d\.r\.buy may be changed in between by \(\*rates\)\.Set`
}

func (d *desk) SpreadLocked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	buy := d.r.Buy()
	return d.r.Sell() - buy // want `reacquire: d\.r\.mu is taken again here, after line 54, in one critical section of d\.mu; what the first passage reads of d\.r\.buy may be changed in between by \(\*rates\)\.Set`
}

// Nobody writes the currency.
func (d *desk) Label() string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.r.Currency() + d.r.Currency()
}

// One mode and the other.
func (d *desk) Widen(n int) int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	d.r.mu.RLock()
	sell := d.r.sell
	d.r.mu.RUnlock()
	d.r.mu.Lock() // want `reacquire: d\.r\.mu is taken again here, after line 69, in one critical section of d\.mu; what the first passage reads of d\.r\.sell may be changed in between by \(\*rates\)\.Set`
	defer d.r.mu.Unlock()
	return sell - d.r.buy
}

// Nobody writes anything of it.

type table struct {
	mu   sync.RWMutex
	rows []string
}

func newTable(rows []string) *table { return &table{rows: rows} }

func (t *table) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.rows)
}

func (t *table) Row(i int) string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rows[i]
}

func (d *desk) Last(t *table) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := t.Len()
	return t.Row(n - 1)
}

// Embedded locks.

type cell struct {
	sync.Mutex
	val int
	set bool
}

func (c *cell) Put(v int) {
	c.Lock()
	defer c.Unlock()
	c.val, c.set = v, true
}

func (c *cell) Clear() {
	c.Lock()
	defer c.Unlock()
	c.val, c.set = 0, false
}

func (c *cell) Has() bool {
	c.Lock()
	defer c.Unlock()
	return c.set
}

func (c *cell) Val() int {
	c.Lock()
	defer c.Unlock()
	return c.val
}

func (c *cell) Both() (int, bool) {
	c.Lock()
	defer c.Unlock()
	return c.val, c.set
}

type grid struct {
	sync.RWMutex
	c    *cell
	sums int
}

func (g *grid) Value() (int, bool) {
	g.Lock()
	defer g.Unlock()
	set := g.c.Has()
	return g.c.Val(), set // want `reacquire: g\.c\.Mutex is taken again here, after line 152, in one critical section of g\.RWMutex; what the first passage reads of g\.c\.set may be changed in between by \(\*cell\)\.Put`
}

func (g *grid) ValueOnce() (int, bool) {
	g.Lock()
	defer g.Unlock()
	return g.c.Both()
}

func (g *grid) Inline() (int, bool) {
	g.RLock()
	defer g.RUnlock()
	g.c.Lock()
	set := g.c.set
	g.c.Unlock()
	g.c.Lock() // want `reacquire: g\.c\.Mutex is taken again here, after line 165, in one critical section of g\.RWMutex; what the first passage reads of g\.c\.set may be changed in between by \(\*cell\)\.Put`
	defer g.c.Unlock()
	return g.c.val, set
}

// The witness is embedded in the object of the context.
type page struct {
	mu sync.Mutex
	*cell
	text string
}

func (p *page) Value() (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	val := p.Val()
	return val, p.Has() // want `reacquire: p\.cell\.Mutex is taken again here, after line 183, in one critical section of p\.mu; what the first passage reads of p\.cell\.val may be changed in between by \(\*cell\)\.Put`
}

// One object with two locks.
type twin struct {
	outer, inner sync.Mutex
	lo, hi       int
}

func (t *twin) Lo() int {
	t.inner.Lock()
	defer t.inner.Unlock()
	return t.lo
}

func (t *twin) Hi() int {
	t.inner.Lock()
	defer t.inner.Unlock()
	return t.hi
}

func (t *twin) Set(lo, hi int) {
	t.inner.Lock()
	defer t.inner.Unlock()
	t.lo, t.hi = lo, hi
}

func (t *twin) Width() int {
	t.outer.Lock()
	defer t.outer.Unlock()
	return t.Hi() - t.Lo() // want `reacquire: t\.inner is taken again here, after line 214, in one critical section of t\.outer; what the first passage reads of t\.hi may be changed in between by \(\*twin\)\.Set`
}

// Locks behind pointers, and interfaces.

type shared struct {
	mu *sync.Mutex
	n  int
}

func (s *shared) Get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *shared) Set(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n = n
}

type owner struct {
	lock sync.Locker
	s    *shared
}

func (o *owner) Add(n int) {
	o.lock.Lock()
	defer o.lock.Unlock()
	old := o.s.Get()
	o.s.Set(old + n) // want `reacquire: o\.s\.mu is taken again here, after line 244, in one critical section of o\.lock; what the first passage reads of o\.s\.n may be changed in between by \(\*shared\)\.Set`
}

// TryLock.
func (d *desk) Try() int {
	if !d.mu.TryLock() {
		return 0
	}
	defer d.mu.Unlock()
	buy := d.r.Buy()
	return d.r.Sell() - buy // want `reacquire: d\.r\.mu is taken again here, after line 254, in one critical section of d\.mu; what the first passage reads of d\.r\.buy may be changed in between by \(\*rates\)\.Set`
}

func (d *desk) TryInside() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.r.mu.TryRLock() {
		return 0
	}
	buy := d.r.buy
	d.r.mu.RUnlock()
	if !d.r.mu.TryRLock() { // want `reacquire: d\.r\.mu is taken again here, after line 261, in one critical section of d\.mu; what the first passage reads of d\.r\.buy may be changed in between by \(\*rates\)\.Set`
		return 0
	}
	defer d.r.mu.RUnlock()
	return d.r.sell - buy
}

// A channel with one slot.

type slot struct {
	sem chan struct{}
	r   *rates
}

func (s *slot) Spread() int {
	s.sem <- struct{}{}
	defer func() { <-s.sem }()
	buy := s.r.Buy()
	return s.r.Sell() - buy // want `reacquire: s\.r\.mu is taken again here, after line 283, in one critical section of s\.sem; what the first passage reads of s\.r\.buy may be changed in between by \(\*rates\)\.Set`
}

func newSlot(r *rates) *slot { return &slot{make(chan struct{}, 1), r} }

// Unlocking in a deferred literal, and at every end.
func (d *desk) DeferredLiteral() int {
	d.mu.Lock()
	defer func() {
		d.orders++
		d.mu.Unlock()
	}()
	buy := d.r.Buy()
	return d.r.Sell() - buy // want `reacquire: d\.r\.mu is taken again here, after line 296, in one critical section of d\.mu; what the first passage reads of d\.r\.buy may be changed in between by \(\*rates\)\.Set`
}

func (d *desk) ByHand(limit int) int {
	d.mu.Lock()
	buy := d.r.Buy()
	if buy > limit {
		d.mu.Unlock()
		return 0
	}
	sell := d.r.Sell() // want `reacquire: d\.r\.mu is taken again here, after line 302, in one critical section of d\.mu; what the first passage reads of d\.r\.buy may be changed in between by \(\*rates\)\.Set`
	d.mu.Unlock()
	return sell - buy
}

// The witness is given up at the end only.
func (d *desk) Deferred() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.r.mu.RLock()
	defer d.r.mu.RUnlock()
	return d.r.sell - d.r.buy
}

// Shards.

type shard struct {
	mu sync.Mutex
	n  int
	v  int
}

func (s *shard) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *shard) reset() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.n
	s.n = 0
	return n
}

type sharded struct {
	mu     sync.Mutex
	shards [8]shard
}

func (s *sharded) Inc(h int) {
	sh := &s.shards[h%8]
	sh.mu.Lock()
	sh.n++
	sh.mu.Unlock()
}

func (s *sharded) Total() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.shards {
		n += s.shards[i].count()
	}
	return n
}

func (s *sharded) Rise(h int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.shards[h].count()
	return s.shards[h].count() - before // want `reacquire: s\.shards\[…\]\.mu is taken again here, after line 367, in one critical section of s\.mu; what the first passage reads of s\.shards\[…\]\.n may be changed in between by \(\*shard\)\.reset`
}

func (s *sharded) Ends() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shards[7].count() - s.shards[0].count()
}

// Share gives others what is shared.
func Share() *shared { return new(shared) }
