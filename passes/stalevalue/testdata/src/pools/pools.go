// Package pools has containers of objects with a life of their own.
package pools

import (
	"hash/fnv"
	"sync"
	"sync/atomic"
)

type conn struct{ n int }

// A Pool is closed by a flag, and then emptied.
type Pool struct {
	closed atomic.Bool
	dial   func() (*conn, error)

	mu    sync.Mutex
	conns []*conn
}

func (p *Pool) Close() {
	p.closed.Store(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = nil
}

// Add puts in a connection that nobody will close.
func (p *Pool) Add() error {
	if p.closed.Load() {
		return nil
	}
	c, err := p.dial()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, c) // want `p.closed was checked`
	return nil
}

// AddChecked asks again under the lock under which the pool is emptied.
func (p *Pool) AddChecked() error {
	if p.closed.Load() {
		return nil
	}
	c, err := p.dial()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed.Load() {
		p.conns = append(p.conns, c)
	}
	return nil
}

// An item is removed by its last user.
type item struct{ refs atomic.Int64 }

type Items struct {
	mu sync.Mutex
	m  map[string]*item
}

func (s *Items) Get(k string) *item {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.m[k]
	if !ok {
		it = new(item)
		s.m[k] = it
	}
	it.refs.Add(1)
	return it
}

func (s *Items) Put(k string) {
	s.mu.Lock()
	it := s.m[k]
	s.mu.Unlock()
	if it.refs.Add(-1) == 0 {
		s.mu.Lock()
		delete(s.m, k) // want `refs was checked`
		s.mu.Unlock()
	}
}

// PutAtOnce counts under the lock.
func (s *Items) PutAtOnce(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m[k].refs.Add(-1) == 0 {
		delete(s.m, k)
	}
}

// A Marker chooses names in one section and marks them in another.
type Marker struct {
	mu   sync.Mutex
	busy map[string]bool
}

func (m *Marker) free(names []string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, n := range names {
		if m.busy[n] {
			continue
		}
		out = append(out, n)
	}
	return out
}

func (m *Marker) mark(names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range names {
		m.busy[n] = true
	}
}

func (m *Marker) Work(names []string, work func([]string)) {
	names = m.free(names)
	if len(names) == 0 {
		return
	}
	m.mark(names) // want `was checked`
	work(names)
}

// Accounts have a lock for each name, of which there are some.
type Accounts struct {
	locks [16]sync.Mutex
	named sync.Map // of *sync.Mutex

	mu     sync.Mutex
	totals map[string]int
	limits map[string]int
}

func (a *Accounts) lock(name string) *sync.Mutex {
	h := fnv.New32a()
	h.Write([]byte(name))
	return &a.locks[h.Sum32()%uint32(len(a.locks))]
}

func (a *Accounts) total(name string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.totals[name]
}

func (a *Accounts) setTotal(name string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.totals[name] = n
}

func (a *Accounts) Double(name string) {
	l := a.lock(name)
	l.Lock()
	defer l.Unlock()
	a.setTotal(name, a.total(name)*2)
}

func (a *Accounts) Clear(name string) {
	l := a.lock(name)
	l.Lock()
	defer l.Unlock()
	a.setTotal(name, 0)
}

func (a *Accounts) nameLock(name string) *sync.Mutex {
	l, _ := a.named.LoadOrStore(name, new(sync.Mutex))
	return l.(*sync.Mutex)
}

func (a *Accounts) limit(name string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limits[name]
}

func (a *Accounts) setLimit(name string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.limits[name] = n
}

func (a *Accounts) Raise(name string) {
	l := a.nameLock(name)
	l.Lock()
	defer l.Unlock()
	a.setLimit(name, a.limit(name)*2)
}

// A Door is removed by who has claimed it.
type Door struct {
	mu       sync.Mutex
	removing bool
}

func (d *Door) claim() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.removing {
		return false
	}
	d.removing = true
	return true
}

type House struct {
	mu    sync.Mutex
	doors map[string]*Door
}

func (h *House) Add(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.doors[name] = new(Door)
}

func (h *House) Remove(name string, work func()) {
	h.mu.Lock()
	d := h.doors[name]
	h.mu.Unlock()
	if d == nil || !d.claim() {
		return
	}
	work()
	h.mu.Lock()
	delete(h.doors, name)
	h.mu.Unlock()
}

// A Saver has an atomic flag for a lock.
type Saver struct {
	busy atomic.Bool
	save func(int) int

	mu   sync.Mutex
	last int
}

func (s *Saver) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *Saver) set(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = n
}

func (s *Saver) Save() {
	if !s.busy.CompareAndSwap(false, true) {
		return
	}
	defer s.busy.Store(false)
	s.set(s.save(s.get()))
}

// A Limited pool has a limit, and may be closed.
type Limited struct {
	max  int
	dial func() *conn

	mu     sync.Mutex
	conns  []*conn
	closed bool
}

func (p *Limited) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = nil
	p.closed = true
}

// Add asks again whether the pool is closed, but not whether it is full.
func (p *Limited) Add() {
	p.mu.Lock()
	full := len(p.conns) >= p.max
	p.mu.Unlock()
	if full {
		return
	}
	c := p.dial()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.conns = append(p.conns, c) // want `p.conns was checked`
}

// A Limiter gives back what it has reserved, up to a bound.
type Limiter struct {
	mu                   sync.Mutex
	limit, burst, tokens int
}

func (l *Limiter) SetLimit(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens = 0
	l.limit = n
}

func (l *Limiter) reserve(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens -= n
	return -l.tokens / l.limit
}

func (l *Limiter) giveBack(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens = min(l.burst, l.tokens+n)
}

func (l *Limiter) Wait(n int) bool {
	if wait := l.reserve(n); wait > 10 {
		l.giveBack(n)
		return false
	}
	return true
}

// Streams that are empty are swept: each is asked again under its lock.
type stream struct {
	mu      sync.Mutex
	name    string
	entries []int
	removed bool
}

type Streams struct {
	mu sync.Mutex
	m  map[string]*stream
}

func (s *Streams) Add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[name] = &stream{name: name}
}

func (s *stream) push(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.removed {
		s.entries = append(s.entries, n)
	}
}

func (s *Streams) list() []*stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*stream
	for _, st := range s.m {
		out = append(out, st)
	}
	return out
}

func (s *Streams) Sweep() {
	for _, st := range s.list() {
		s.mu.Lock()
		st.mu.Lock()
		if len(st.entries) == 0 {
			st.removed = true
			delete(s.m, st.name)
		}
		st.mu.Unlock()
		s.mu.Unlock()
	}
}

// A Queue hands out names; who has one counts its attempts.
type Queue struct {
	mu       sync.Mutex
	names    []string
	attempts map[string]int
}

func (q *Queue) pop() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.names) == 0 {
		return ""
	}
	name := q.names[0]
	q.names = q.names[1:]
	return name
}

func (q *Queue) attemptsOf(name string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.attempts[name]
}

func (q *Queue) setAttempts(name string, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.attempts[name] = n
}

func (q *Queue) Work(do func(string)) {
	for {
		name := q.pop()
		if name == "" {
			return
		}
		n := q.attemptsOf(name)
		do(name)
		q.setAttempts(name, n*2+1)
	}
}

// A Source installs a token if nothing was installed since it began.
type Source struct {
	mu         sync.Mutex
	token      string
	generation int
}

func (s *Source) current() (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token, s.generation
}

func (s *Source) install(t string, generation int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation != generation {
		return
	}
	s.token = t
	s.generation++
}

func (s *Source) Invalidate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = ""
}

func (s *Source) Refresh(fresh func(string) string) {
	t, generation := s.current()
	if t != "" {
		return
	}
	s.install(fresh(t), generation)
}

// A Hub is served by whoever runs it.
type Hub struct {
	join, leave chan int
	n           int

	mu   sync.Mutex
	peak int
}

func (h *Hub) Run() {
	for {
		select {
		case <-h.join:
			h.n++
		case <-h.leave:
			h.n--
		}
		h.mu.Lock()
		peak := h.peak
		h.mu.Unlock()
		if h.n > peak {
			h.mu.Lock()
			h.peak = h.n
			h.mu.Unlock()
		}
	}
}

// Shelves have lists, of which empty ones are removed.
type Shelves struct {
	mu    sync.Mutex
	lists map[string][]int
	left  map[string]int
}

func (s *Shelves) Add(k string, v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists[k] = append(s.lists[k], v)
}

func (s *Shelves) Stock(k string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left[k] += n
}

// Tidy removes a list that may have been filled.
func (s *Shelves) Tidy(k string) {
	s.mu.Lock()
	empty := len(s.lists[k]) == 0
	s.mu.Unlock()
	if empty {
		s.mu.Lock()
		delete(s.lists, k) // want `check-then-act: s\.lists\[k\] was checked at line \d+`
		s.mu.Unlock()
	}
}

// TidyAtOnce looks and removes in one section.
func (s *Shelves) TidyAtOnce(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lists[k]) == 0 {
		delete(s.lists, k)
	}
}

// Take takes what may be gone: the count goes below zero.
func (s *Shelves) Take(k string, n int) bool {
	s.mu.Lock()
	short := s.left[k] < n
	s.mu.Unlock()
	if short {
		return false
	}
	s.mu.Lock()
	s.left[k] -= n // want `check-then-act: s\.left\[k\] was checked at line \d+`
	s.mu.Unlock()
	return true
}

// A handle has its own key.
type handle struct {
	name string
	refs atomic.Int64
}

type Handles struct {
	mu sync.RWMutex
	m  map[string]*handle
}

func (s *Handles) Get(name string) *handle {
	s.mu.RLock()
	defer s.mu.RUnlock()
	h := s.m[name]
	if h != nil {
		h.refs.Add(1)
	}
	return h
}

// Put removes what others may have found since the count was zero.
func (s *Handles) Put(h *handle) {
	if h.refs.Add(-1) > 0 {
		return
	}
	s.remove(h.name) // want `h\.refs was checked at line \d+`
}

func (s *Handles) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, name)
}

// PutLocked counts under the lock.
func (s *Handles) PutLocked(h *handle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.refs.Add(-1) == 0 {
		delete(s.m, h.name)
	}
}

// A socket is shared by leases, and found by address.
type socket struct {
	usage atomic.Int32
	open  bool
}

type lease struct {
	of   *socket
	addr string
}

var (
	socketsMu sync.Mutex
	sockets   = make(map[string]*socket)
)

// Listen returns a lease of the socket of an address.
func Listen(addr string) *lease {
	socketsMu.Lock()
	defer socketsMu.Unlock()
	l, ok := sockets[addr]
	if !ok {
		l = &socket{open: true}
		sockets[addr] = l
	}
	l.usage.Add(1)
	return &lease{of: l, addr: addr}
}

// Close removes a socket that Listen may have found meanwhile.
func (h *lease) Close() {
	if h.of.usage.Add(-1) == 0 {
		socketsMu.Lock()
		delete(sockets, h.addr) // want `check-then-act: h.of.usage was checked at line \d+`
		socketsMu.Unlock()
	}
}

// CloseAtOnce counts under the lock.
func (h *lease) CloseAtOnce() {
	socketsMu.Lock()
	defer socketsMu.Unlock()
	if h.of.usage.Add(-1) == 0 {
		delete(sockets, h.addr)
	}
}
