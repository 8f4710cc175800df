package mechanisms

import (
	"sync"
	"sync/atomic"
)

// What is done once.
type client struct {
	mu   sync.Mutex
	once sync.Once
	conn *conn
	n    int
}

type conn struct{ n int }

func (c *client) Drop() {
	c.mu.Lock()
	c.conn = nil
	c.mu.Unlock()
}

func (c *client) Dial() {
	c.mu.Lock()
	conn0 := c.conn
	c.mu.Unlock()
	if conn0 == nil {
		c.once.Do(func() {
			c.mu.Lock()
			c.conn = &conn{n: 1}
			c.mu.Unlock()
		})
	}
}

func (c *client) DialAgain() {
	c.mu.Lock()
	conn0 := c.conn
	c.mu.Unlock()
	if conn0 == nil {
		func() {
			c.mu.Lock()
			c.conn = &conn{n: 1} // want `check-then-act: c\.conn was checked`
			c.mu.Unlock()
		}()
	}
}

// Objects that are found in a container.
type catalog struct {
	mu      sync.Mutex
	objects map[string]*object
}

type object struct {
	mu    sync.Mutex
	items map[int]bool
	last  int
}

func (c *catalog) Put(k string, i int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := &object{items: make(map[int]bool)}
	c.objects[k] = o
	o.mu.Lock()
	o.items[i] = true
	o.last = i
	o.mu.Unlock()
}

func (c *catalog) Drop(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.objects[k]; o != nil {
		o.mu.Lock()
		o.items = nil
		o.last = 0
		o.mu.Unlock()
	}
	delete(c.objects, k)
}

func (c *catalog) Remove(k string, i int) {
	c.mu.Lock()
	o := c.objects[k]
	c.mu.Unlock()
	if o != nil {
		o.mu.Lock()
		delete(o.items, i) // of one that is dropped, it does no harm
		o.mu.Unlock()
	}
}

func (c *catalog) Touch(k string, i int) {
	c.mu.Lock()
	o := c.objects[k]
	c.mu.Unlock()
	if o != nil {
		o.mu.Lock()
		o.last = i // want `check-then-act: c\.objects\[k\] was checked`
		o.mu.Unlock()
	}
}

// An element that is looked up again.
type team struct {
	mu      sync.Mutex
	members map[int]*member
}

type member struct{ score int }

func (t *team) Has(id int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.members[id] != nil
}

func (t *team) Leave(id int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.members, id)
}

func (t *team) Score(id int) int {
	if !t.Has(id) {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.members[id].score // want `check-then-act: t\.members\[id\] was checked`
}

func (t *team) Join(id int) int {
	if t.Has(id) {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.members[id] = new(member) // want `check-then-act: t\.members\[id\] was checked`
	return t.members[id].score
}

func (t *team) ensure(id int) {
	if t.members[id] == nil {
		t.members[id] = new(member)
	}
}

func (t *team) ScoreAnyway(id int) int {
	if !t.Has(id) {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ensure(id)
	return t.members[id].score
}

// Write skew.
type tank struct {
	mu    sync.Mutex
	ready bool
	limit int
	used  int
}

func (t *tank) Use(n int) {
	t.mu.Lock()
	t.used += n
	t.ready = t.used < t.limit
	t.mu.Unlock()
}

func (t *tank) Resize(n int, start func(bool)) {
	t.mu.Lock()
	ready := t.ready
	t.mu.Unlock()
	if ready {
		start(ready)
	}
	t.mu.Lock()
	t.limit = n // want `check-then-act: t\.ready was checked`
	t.mu.Unlock()
}

func (t *tank) ResizeAnew(n int, start func(bool)) {
	t.mu.Lock()
	ready := t.ready
	t.mu.Unlock()
	if ready {
		start(ready)
	}
	t.mu.Lock()
	t.limit = n
	t.ready = t.used < n
	t.mu.Unlock()
}

// An atomic state that is changed under a lock, and set without when nobody works.
type worker struct {
	mu    sync.Mutex
	state atomic.Int32
}

func (w *worker) Begin(start func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state.Load() == 0 {
		w.state.Store(1)
		start()
	}
}

func (w *worker) BeginUnlocked(start func()) {
	if w.state.Load() == 0 {
		w.state.Store(1) // want `check-then-act: w\.state was checked`
		start()
	}
}

func (w *worker) End() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Store(0)
}

func (w *worker) Kick() { w.state.Store(2) }

// A second look-up that is not asked about, of an object that is in place.
type shelf struct {
	mu    sync.Mutex
	books map[int]*book
}

type book struct{ pages int }

func (s *shelf) Remove(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.books, id)
}

func (s *shelf) Pages(id int) int {
	s.mu.Lock()
	_, ok := s.books[id]
	s.mu.Unlock()
	if !ok {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.books[id].pages // want `check-then-act: s\.books\[id\] was checked`
}

// A meter is refilled under the lock of those who have meters, which is to keep the list: who takes tokens
// does without.
type meter struct {
	tokens atomic.Int64
	most   int64
}

func (b *meter) Take(n int64) bool {
	for {
		now := b.tokens.Load()
		if now < n {
			return false
		}
		if b.tokens.CompareAndSwap(now, now-n) {
			return true
		}
	}
}

func (b *meter) refill(n int64) {
	next := b.tokens.Load() + n
	if next > b.most {
		next = b.most
	}
	b.tokens.Store(next) // want `lost-update: b\.tokens was read at line \d+`
}

type meters struct {
	mu  sync.RWMutex
	all map[string]*meter
}

func (l *meters) Allow(k string, n int64) bool {
	l.mu.RLock()
	b := l.all[k]
	l.mu.RUnlock()
	return b.Take(n)
}

func (l *meters) Tick() {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, b := range l.all {
		b.refill(1)
	}
}

// A muster is updated under a lock of its own; who sets it does so before.
type muster struct {
	mu  sync.Mutex
	ids atomic.Pointer[[]int]
}

func (r *muster) Load(ids []int) { r.ids.Store(&ids) }

func (r *muster) Add(id int) {
	r.mu.Lock()
	ids := append([]int{id}, *r.ids.Load()...)
	r.ids.Store(&ids)
	r.mu.Unlock()
}
