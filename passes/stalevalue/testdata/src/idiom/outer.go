package idiom

import (
	"sync"
	"sync/atomic"
	"time"
)

// An outer guard that every writer holds.

type Catalog struct {
	edit sync.Mutex // serializes writers

	mu    sync.RWMutex
	books []string
}

func (c *Catalog) list() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return append([]string(nil), c.books...)
}

func (c *Catalog) replace(books []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.books = books
}

func (c *Catalog) Add(b string) {
	c.edit.Lock()
	defer c.edit.Unlock()
	c.replace(append(c.list(), b))
}

func (c *Catalog) Trim(n int) {
	c.edit.Lock()
	defer c.edit.Unlock()
	c.trim(n)
}

func (c *Catalog) trim(n int) {
	books := c.list()
	if len(books) > n {
		c.replace(books[:n])
	}
}

func (c *Catalog) Books() []string { return c.list() }

// In line, with an early return.
type Index struct {
	edit sync.Mutex
	mu   sync.RWMutex
	size int
	root *node
}

type node struct{ next *node }

func (x *Index) Grow(load func(*node) (*node, error)) error {
	x.edit.Lock()
	defer x.edit.Unlock()
	x.mu.RLock()
	root := x.root
	x.mu.RUnlock()
	next, err := load(root)
	if err != nil {
		return err
	}
	x.mu.Lock()
	x.root = next
	x.size++
	x.mu.Unlock()
	return nil
}

func (x *Index) Clear() {
	x.edit.Lock()
	x.mu.Lock()
	x.root, x.size = nil, 0
	x.mu.Unlock()
	x.edit.Unlock()
}

// The token in a channel is an outer guard.

type Machine struct {
	token chan struct{}
	mu    sync.Mutex
	state int
}

func NewMachine() *Machine {
	m := &Machine{token: make(chan struct{}, 1)}
	m.token <- struct{}{}
	return m
}

func (m *Machine) Step(f func(int) int) {
	<-m.token
	defer func() { m.token <- struct{}{} }()
	m.mu.Lock()
	s := m.state
	m.mu.Unlock()
	s = f(s)
	m.mu.Lock()
	m.state = s
	m.mu.Unlock()
}

func (m *Machine) State() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

// Copy on write under a mutex for the writers.

type Routes struct {
	mu  sync.Mutex
	cur atomic.Value // map[string]int
}

func (r *Routes) Get(k string) int {
	m, _ := r.cur.Load().(map[string]int)
	return m[k]
}

func (r *Routes) Set(k string, v int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cur.Store(r.with(k, v))
}

func (r *Routes) with(k string, v int) map[string]int {
	old, _ := r.cur.Load().(map[string]int)
	next := make(map[string]int, len(old)+1)
	for k, v := range old {
		next[k] = v
	}
	next[k] = v
	return next
}

// SetIfNew looks before it takes the mutex, and again under it.
func (r *Routes) SetIfNew(k string, v int) {
	if r.Get(k) == v {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Get(k) == v {
		return
	}
	r.cur.Store(r.with(k, v))
}

// A single writer: one goroutine for each object.

type Ticker struct {
	mu    sync.Mutex
	count int
	stop  chan struct{}
}

func NewTicker(every time.Duration) *Ticker {
	t := &Ticker{stop: make(chan struct{})}
	go t.run(every)
	return t
}

func (t *Ticker) run(every time.Duration) {
	for {
		select {
		case <-t.stop:
			return
		case <-time.After(every):
		}
		t.mu.Lock()
		n := t.count
		t.mu.Unlock()
		n = n*2 + 1
		t.mu.Lock()
		t.count = n
		t.mu.Unlock()
	}
}

func (t *Ticker) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

func (t *Ticker) Stop() { close(t.stop) }

// Locks by key.

type Keyed struct {
	mu    sync.Mutex
	locks map[string]*sync.Mutex
	vals  map[string]int
}

func (k *Keyed) lock(key string) *sync.Mutex {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.locks[key]
	if l == nil {
		l = new(sync.Mutex)
		k.locks[key] = l
	}
	return l
}

func (k *Keyed) get(key string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.vals[key]
}

func (k *Keyed) set(key string, v int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.vals[key] = v
}

// Update has the key to itself, as has everybody who sets it.
func (k *Keyed) Update(key string, f func(int) int) {
	l := k.lock(key)
	l.Lock()
	defer l.Unlock()
	k.set(key, f(k.get(key)))
}

// Ensure looks and acts with the key to itself.
func (k *Keyed) Ensure(key string, f func() int) {
	defer k.unlocker(key)()
	if k.get(key) == 0 {
		k.set(key, f())
	}
}

func (k *Keyed) unlocker(key string) (unlock func()) {
	l := k.lock(key)
	l.Lock()
	return l.Unlock
}

// Two shards.

type shard struct {
	mu sync.Mutex
	m  map[string]int
}

type Shards struct{ s [2]shard }

func (s *Shards) Move(k string) {
	s.s[0].mu.Lock()
	v, ok := s.s[0].m[k]
	delete(s.s[0].m, k)
	s.s[0].mu.Unlock()
	if ok {
		s.s[1].mu.Lock()
		s.s[1].m[k] = v
		s.s[1].mu.Unlock()
	}
}
