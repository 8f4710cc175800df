// Package bugs has small wrong programs of the kinds that one meets. The right
// ones are in package programs.
package bugs

import (
	"sync"
	"sync/atomic"
	"time"
)

// A cache that loads outside of the lock and does not look again.

type entry struct{ val int }

type Cache struct {
	mu    sync.Mutex
	m     map[string]*entry
	loads int
}

func (c *Cache) Get(key string, load func(string) int) *entry {
	c.mu.Lock()
	if e, ok := c.m[key]; ok {
		c.mu.Unlock()
		return e
	}
	c.mu.Unlock()
	e := &entry{load(key)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loads++
	c.m[key] = e // want `check-then-act: c\.m\[key\] was checked`
	return e
}

func (c *Cache) Evict(key string) {
	c.mu.Lock()
	delete(c.m, key)
	c.mu.Unlock()
}

// The helper under the lock does not look either.

type Rooms struct {
	mu sync.RWMutex
	m  map[string]*entry
}

func (r *Rooms) create(name string) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := &entry{len(name)}
	r.m[name] = e
	return e
}

func (r *Rooms) Close(name string) {
	r.mu.Lock()
	delete(r.m, name)
	r.mu.Unlock()
}

// Accessors for a struct by value.

type options struct {
	level int
	tags  []string
	on    bool
}

type Options struct {
	mu  sync.RWMutex
	opt options
}

func (o *Options) Get() options {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.opt
}

func (o *Options) Set(opt options) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opt = opt
}

func (o *Options) SetLevel(n int) {
	opt := o.Get()
	opt.level = n
	o.Set(opt) // want `lost-update: o\.opt was read at line \d+, but o\.mu was released when Get returned and an update by another goroutine is lost by this call of Set`
}

func (o *Options) AddTag(t string) {
	opt := o.Get()
	opt.tags = append(opt.tags, t)
	o.Set(opt) // want `lost-update: o\.opt.* was read`
}

func (o *Options) Enabled() bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.opt.on
}

func (o *Options) SetEnabled(on bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opt.on = on
}

func (o *Options) Toggle() {
	o.SetEnabled(!o.Enabled()) // want `lost-update: .*on was read`
}

// Counts in a map behind accessors.

type Counts struct {
	mu sync.Mutex
	m  map[string]int
}

func (c *Counts) Get(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[k]
}

func (c *Counts) Put(k string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = n
}

func Count(c *Counts, words []string) {
	for _, w := range words {
		c.Put(w, c.Get(w)+1) // want `lost-update: c\.m\[.*\] was read`
	}
}

// Peek and pop: what is taken may be another one.

type Queue struct {
	mu   sync.Mutex
	list []*entry
}

func (q *Queue) Peek() *entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return nil
	}
	return q.list[0]
}

func (q *Queue) Pop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = q.list[1:]
}

func (q *Queue) Push(e *entry) {
	q.mu.Lock()
	q.list = append(q.list, e)
	q.mu.Unlock()
}

// Closing twice.

type Worker struct {
	mu     sync.Mutex
	closed bool
	done   chan struct{}
}

func (w *Worker) Close() {
	w.mu.Lock()
	closed := w.closed
	w.mu.Unlock()
	if closed {
		return
	}
	w.mu.Lock()
	w.closed = true // want `check-then-act: w\.closed was checked`
	w.mu.Unlock()
	close(w.done)
}

type AtomicWorker struct {
	closed atomic.Bool
	done   chan struct{}
}

func (w *AtomicWorker) Close() {
	if !w.closed.Load() {
		w.closed.Store(true) // want `check-then-act: w\.closed was checked`
		close(w.done)
	}
}

// Starting twice.

type Sampler struct {
	mu      sync.Mutex
	running bool
	n       int
}

func (s *Sampler) Start() {
	s.mu.Lock()
	running := s.running
	s.mu.Unlock()
	if !running {
		go s.loop()
		s.mu.Lock()
		s.running = true // want `check-then-act: s\.running was checked`
		s.mu.Unlock()
	}
}

func (s *Sampler) loop() {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (s *Sampler) Stop() {
	s.mu.Lock()
	s.running = false
	s.mu.Unlock()
}

// A breaker that trips on a count that may have been reset.

type Breaker struct {
	mu    sync.Mutex
	fails int
	open  bool
	until time.Time
}

func (b *Breaker) Fail() {
	b.mu.Lock()
	b.fails++
	b.mu.Unlock()
}

func (b *Breaker) Ok() {
	b.mu.Lock()
	b.fails, b.open = 0, false
	b.mu.Unlock()
}

func (b *Breaker) Failed() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fails
}

func (b *Breaker) Trip() {
	if b.Failed() > 3 {
		b.mu.Lock()
		b.open = true // want `check-then-act: b\.fails was checked`
		b.mu.Unlock()
	}
}

// Ids.

type Table struct {
	mu   sync.Mutex
	rows map[int]*entry
	next int
}

func (t *Table) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.rows)
}

// The id is read in one step and counted up in another.
func (t *Table) AddNext(e *entry) int {
	t.mu.Lock()
	id := t.next
	t.mu.Unlock()
	t.mu.Lock()
	t.rows[id] = e
	t.next = id + 1 // want `lost-update: t\.next was read`
	t.mu.Unlock()
	return id
}

func (t *Table) Delete(id int) {
	t.mu.Lock()
	delete(t.rows, id)
	t.mu.Unlock()
}

// Sessions that are swept though they were used meanwhile.

type session struct{ seen int64 }

type Sessions struct {
	mu  sync.Mutex
	all map[string]*session
	n   int
}

func (s *Sessions) Touch(id string, now int64) {
	s.mu.Lock()
	s.all[id] = &session{now}
	s.mu.Unlock()
}

func (s *Sessions) Expire(id string, now int64) {
	s.mu.Lock()
	x := s.all[id]
	s.mu.Unlock()
	if x == nil || now-x.seen < 60 {
		return
	}
	s.mu.Lock()
	delete(s.all, id) // want `check-then-act: s\.all\[id\] was checked`
	s.n--
	s.mu.Unlock()
}

// The last one to leave turns off the light, even if somebody has come.

type Light struct {
	mu    sync.Mutex
	users int
	lamp  *entry
}

func (l *Light) Enter() {
	l.mu.Lock()
	l.users++
	if l.lamp == nil {
		l.lamp = new(entry)
	}
	l.mu.Unlock()
}

// The same with an atomic count.
type Pin struct {
	refs atomic.Int32
	mu   sync.Mutex
	m    map[string]*entry
}

func (p *Pin) Get(k string) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refs.Add(1)
	return p.m[k]
}

// A name is claimed for whoever asks first, or rather last.
type Names struct {
	mu sync.Mutex
	by map[string]string
}

func (n *Names) Owner(name string) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	o, ok := n.by[name]
	return o, ok
}

func (n *Names) SetOwner(name, owner string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.by[name] = owner
}

// An unconditional reload: an older file may replace a newer one.
type Config struct {
	mu    sync.RWMutex
	vals  map[string]string
	mtime time.Time
}

func (c *Config) Reload(m time.Time, read func() map[string]string) {
	c.mu.RLock()
	fresh := !m.After(c.mtime)
	c.mu.RUnlock()
	if fresh {
		return
	}
	vals := read()
	c.mu.Lock()
	c.vals, c.mtime = vals, m // want `check-then-act: c\.mtime was checked`
	c.mu.Unlock()
}

func (q *Queue) Next(now int) *entry {
	e := q.Peek()
	if e == nil || e.val > now {
		return nil
	}
	q.Pop() // want `check-then-act: q\.list.* was checked`
	return e
}

func (n *Names) Claim(name, owner string) bool {
	if _, taken := n.Owner(name); taken {
		return false
	}
	n.SetOwner(name, owner) // want `check-then-act: n\.by\[name\] was checked`
	return true
}

func (n *Names) ClaimInLine(name, owner string) bool {
	n.mu.Lock()
	_, taken := n.by[name]
	n.mu.Unlock()
	if taken {
		return false
	}
	n.mu.Lock()
	n.by[name] = owner // want `check-then-act: n\.by\[name\] was checked`
	n.mu.Unlock()
	return true
}

func (r *Rooms) Room(name string) *entry {
	r.mu.RLock()
	e := r.m[name]
	r.mu.RUnlock()
	if e == nil {
		e = r.create(name) // want `check-then-act: r\.m\[name\] was checked at line \d+, but r\.mu was released at line \d+ and another goroutine may change it before this call of create, which writes it`
	}
	return e
}
