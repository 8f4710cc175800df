// Package programs has small correct programs of the kinds that one meets.
// Nothing in it is reported.
package programs

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// An LRU cache that loads outside of the lock.

type lruEntry struct {
	key        string
	val        int
	prev, next *lruEntry
}

type LRU struct {
	mu   sync.Mutex
	m    map[string]*lruEntry
	head *lruEntry
	cap  int
	hits int
}

func (c *LRU) Get(key string, load func(string) int) int {
	c.mu.Lock()
	if e, ok := c.m[key]; ok {
		c.hits++
		c.toFront(e)
		c.mu.Unlock()
		return e.val
	}
	c.mu.Unlock()

	v := load(key)

	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.m[key]; ok {
		return e.val
	}
	e := &lruEntry{key: key, val: v}
	c.m[key] = e
	c.toFront(e)
	for len(c.m) > c.cap {
		c.evict()
	}
	return v
}

func (c *LRU) toFront(e *lruEntry) {
	if c.head == e {
		return
	}
	e.next = c.head
	if c.head != nil {
		c.head.prev = e
	}
	c.head = e
}

func (c *LRU) evict() {
	for k := range c.m {
		delete(c.m, k)
		return
	}
}

// GC runs when somebody has seen too many, and looks itself.
func (c *LRU) GC() {
	if c.Len() <= c.cap {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.m) > c.cap {
		c.evict()
	}
}

func (c *LRU) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.m)
}

// Keys uses the length as a hint only.
func (c *LRU) Keys() []string {
	out := make([]string, 0, c.Len())
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range c.m {
		out = append(out, k)
	}
	return out
}

// A circuit breaker with a generation.

type Breaker struct {
	mu    sync.Mutex
	gen   uint64
	open  bool
	fails int
	until time.Time
}

var errOpen = errors.New("open")

func (b *Breaker) before(now time.Time) (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		if now.Before(b.until) {
			return 0, errOpen
		}
		b.open = false
		b.gen++
		b.fails = 0
	}
	return b.gen, nil
}

func (b *Breaker) after(gen uint64, now time.Time, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gen != gen {
		return
	}
	if ok {
		b.fails = 0
		return
	}
	b.fails++
	if b.fails > 3 {
		b.open = true
		b.gen++
		b.until = now.Add(time.Minute)
	}
}

func (b *Breaker) Do(f func() error) error {
	gen, err := b.before(time.Now())
	if err != nil {
		return err
	}
	err = f()
	b.after(gen, time.Now(), err == nil)
	return err
}

// A weighted semaphore with a list of those who wait.

type waiter struct {
	n     int
	ready chan struct{}
}

type Weighted struct {
	mu      sync.Mutex
	size    int
	cur     int
	waiters []*waiter
}

func (s *Weighted) Acquire(n int, done <-chan struct{}) bool {
	s.mu.Lock()
	if s.size-s.cur >= n && len(s.waiters) == 0 {
		s.cur += n
		s.mu.Unlock()
		return true
	}
	w := &waiter{n: n, ready: make(chan struct{})}
	s.waiters = append(s.waiters, w)
	s.mu.Unlock()

	select {
	case <-w.ready:
		return true
	case <-done:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-w.ready:
		return true
	default:
	}
	for i, x := range s.waiters {
		if x == w {
			s.waiters = append(s.waiters[:i:i], s.waiters[i+1:]...)
			break
		}
	}
	return false
}

func (s *Weighted) Release(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cur -= n
	for len(s.waiters) > 0 {
		w := s.waiters[0]
		if s.size-s.cur < w.n {
			return
		}
		s.cur += w.n
		s.waiters = s.waiters[1:]
		close(w.ready)
	}
}

// Publish and subscribe.

type Bus struct {
	mu   sync.RWMutex
	next int
	subs map[int]func(string)
	sent atomic.Int64
}

func (b *Bus) Subscribe(f func(string)) (cancel func()) {
	b.mu.Lock()
	id := b.next
	b.next++
	b.subs[id] = f
	b.mu.Unlock()
	return func() {
		b.mu.Lock()
		delete(b.subs, id)
		b.mu.Unlock()
	}
}

func (b *Bus) Publish(msg string) {
	b.mu.RLock()
	fs := make([]func(string), 0, len(b.subs))
	for _, f := range b.subs {
		fs = append(fs, f)
	}
	b.mu.RUnlock()
	for _, f := range fs {
		f(msg)
	}
	b.sent.Add(int64(len(fs)))
}

// A token bucket.

type Bucket struct {
	mu     sync.Mutex
	tokens float64
	last   time.Time
	rate   float64
}

func (b *Bucket) Take(now time.Time) (wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens += now.Sub(b.last).Seconds() * b.rate
	b.last = now
	if b.tokens >= 1 {
		b.tokens--
		return 0
	}
	return time.Duration((1 - b.tokens) / b.rate * float64(time.Second))
}

func (b *Bucket) Wait(sleep func(time.Duration)) {
	for {
		d := b.Take(time.Now())
		if d == 0 {
			return
		}
		sleep(d)
	}
}

// A session store that is swept.

type session struct {
	seen int64
	user string
}

type Sessions struct {
	mu  sync.Mutex
	all map[string]*session
}

func (s *Sessions) Sweep(now int64, notify func(string)) {
	var old []string
	s.mu.Lock()
	for id, x := range s.all {
		if now-x.seen > 60 {
			old = append(old, id)
		}
	}
	s.mu.Unlock()
	for _, id := range old {
		s.mu.Lock()
		x, ok := s.all[id]
		if !ok || now-x.seen <= 60 {
			s.mu.Unlock()
			continue
		}
		delete(s.all, id)
		s.mu.Unlock()
		notify(x.user)
	}
}

func (s *Sessions) Touch(id string, now int64) {
	s.mu.Lock()
	if x := s.all[id]; x != nil {
		x.seen = now
	} else {
		s.all[id] = &session{seen: now}
	}
	s.mu.Unlock()
}

// A batch writer.

type Batcher struct {
	mu    sync.Mutex
	batch []string
	size  int
	timer *time.Timer
	gen   int
}

func (b *Batcher) Add(s string, flush func([]string) error) error {
	b.mu.Lock()
	b.batch = append(b.batch, s)
	if len(b.batch) < b.size {
		b.mu.Unlock()
		return nil
	}
	full := b.batch
	b.batch = nil
	b.mu.Unlock()
	if err := flush(full); err != nil {
		b.mu.Lock()
		b.batch = append(full, b.batch...)
		b.mu.Unlock()
		return err
	}
	return nil
}

func (b *Batcher) Later(d time.Duration, f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gen++
	gen := b.gen
	if b.timer != nil {
		b.timer.Stop()
	}
	b.timer = time.AfterFunc(d, func() {
		b.mu.Lock()
		if b.gen != gen {
			b.mu.Unlock()
			return
		}
		b.timer = nil
		b.mu.Unlock()
		f()
	})
}

// A goroutine of a constructor is the only writer.

type Sampler struct {
	mu   sync.Mutex
	stop chan struct{}
	last int
	rate int
}

func NewSampler(read func() int) *Sampler {
	s := &Sampler{stop: make(chan struct{})}
	go s.loop(read)
	return s
}

func (s *Sampler) loop(read func() int) {
	for {
		select {
		case <-s.stop:
			return
		case <-time.After(time.Second):
		}
		now := read()
		s.mu.Lock()
		last := s.last
		s.mu.Unlock()
		rate := now - last
		s.mu.Lock()
		s.last, s.rate = now, rate
		s.mu.Unlock()
	}
}

func (s *Sampler) Rate() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rate
}

// Transfers hold both locks.

type Account struct {
	id  int
	mu  sync.Mutex
	sum int
}

func Transfer(a, b *Account, n int) error {
	x, y := a, b
	if x.id > y.id {
		x, y = y, x
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	y.mu.Lock()
	defer y.mu.Unlock()
	if a.sum < n {
		return errors.New("not enough")
	}
	a.sum -= n
	b.sum += n
	return nil
}

// A file that is read again when it has changed.

type Config struct {
	mu     sync.RWMutex
	values map[string]string
	mtime  time.Time
}

func (c *Config) Reload(stat func() time.Time, read func() map[string]string) {
	m := stat()
	c.mu.RLock()
	fresh := !m.After(c.mtime)
	c.mu.RUnlock()
	if fresh {
		return
	}
	values := read()
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.After(c.mtime) {
		c.values, c.mtime = values, m
	}
}

// The first error wins.

type Errs struct {
	mu  sync.Mutex
	err error
	n   int
}

func (e *Errs) Set(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.n++
	if e.err == nil {
		e.err = err
	}
}

func (e *Errs) Run(fs []func() error) error {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := f(); err != nil {
				e.Set(err)
			}
		}()
	}
	wg.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// A connection with a state that moves by compare-and-swap.

const (
	idle int32 = iota
	active
	closed
)

type Conn struct {
	state atomic.Int32
	mu    sync.Mutex
	buf   []byte
	peer  string
}

func (c *Conn) Send(b []byte) error {
	for {
		switch st := c.state.Load(); st {
		case closed:
			return errors.New("closed")
		case active:
			return errors.New("busy")
		default:
			if !c.state.CompareAndSwap(st, active) {
				continue
			}
		}
		break
	}
	c.mu.Lock()
	c.buf = append(c.buf, b...)
	c.mu.Unlock()
	c.state.CompareAndSwap(active, idle)
	return nil
}

func (c *Conn) Close() {
	if c.state.Swap(closed) == closed {
		return
	}
	c.mu.Lock()
	c.buf = nil
	c.mu.Unlock()
}

// The lock is given up while something blocks; then something else is written.
func (c *Conn) Dial(dial func(string) []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	peer := c.peer
	c.mu.Unlock()
	b := dial(peer)
	c.mu.Lock()
	if c.peer != peer {
		return
	}
	c.buf = b
}

func (c *Conn) SetPeer(p string) {
	c.mu.Lock()
	c.peer = p
	c.buf = nil
	c.mu.Unlock()
}

// Objects in a table, each with a lock of its own and a mark for those that
// have been taken out.

type room struct {
	mu   sync.Mutex
	gone bool
	n    int
}

type Rooms struct {
	mu sync.Mutex
	m  map[string]*room
}

func (r *Rooms) Enter(name string) {
	for {
		r.mu.Lock()
		x := r.m[name]
		if x == nil {
			x = &room{}
			r.m[name] = x
		}
		r.mu.Unlock()
		x.mu.Lock()
		if x.gone {
			x.mu.Unlock()
			continue
		}
		x.n++
		x.mu.Unlock()
		return
	}
}

func (r *Rooms) Leave(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.m[name]
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.n--; x.n == 0 {
		x.gone = true
		delete(r.m, name)
	}
}

// A ring with one producer, who owns the head.

type Ring struct {
	head, tail atomic.Uint64
	buf        [64]int
}

func NewRing(in <-chan int) *Ring {
	r := &Ring{}
	go r.produce(in)
	return r
}

func (r *Ring) produce(in <-chan int) {
	for n := range in {
		h := r.head.Load()
		if h-r.tail.Load() == uint64(len(r.buf)) {
			continue
		}
		r.buf[h%64] = n
		r.head.Store(h + 1)
	}
}

func (r *Ring) Reset() { r.tail.Store(0) }

// Double buffering.

type Frames struct {
	mu    sync.Mutex
	front []int
	back  []int
	drawn int
}

func (f *Frames) Draw(n int) {
	f.mu.Lock()
	f.back = append(f.back, n)
	f.mu.Unlock()
}

func (f *Frames) Flip() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.front, f.back = f.back, f.front[:0]
	f.drawn++
	return f.front
}

// Shutdown waits for all that was begun.

type Pool struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
	done   int
}

func (p *Pool) Go(f func()) bool {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return false
	}
	p.wg.Add(1)
	p.mu.Unlock()
	go func() {
		defer p.wg.Done()
		f()
		p.mu.Lock()
		p.done++
		p.mu.Unlock()
	}()
	return true
}

func (p *Pool) Close() int {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// Grow makes room outside of the lock.

type Arena struct {
	mu    sync.Mutex
	bytes []byte
	used  int
}

func (a *Arena) Grow(n int) {
	a.mu.Lock()
	size := len(a.bytes)
	a.mu.Unlock()
	if size >= n {
		return
	}
	next := make([]byte, n)
	a.mu.Lock()
	if len(a.bytes) < n {
		copy(next, a.bytes)
		a.bytes = next
	}
	a.mu.Unlock()
}

// Set and reset around a call, by the one who owns the flag.
type Door struct {
	mu   sync.Mutex
	held bool
	who  string
}

func (d *Door) Through(who string, f func()) bool {
	d.mu.Lock()
	if d.held {
		d.mu.Unlock()
		return false
	}
	d.held, d.who = true, who
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.held, d.who = false, ""
		d.mu.Unlock()
	}()
	f()
	return true
}

// A cursor that several readers share: each takes a part of its own.
type Cursor struct {
	next atomic.Int64
	list []int
	mu   sync.Mutex
	sum  int
}

func (c *Cursor) Work() {
	for {
		i := c.next.Add(1) - 1
		if i >= int64(len(c.list)) {
			return
		}
		n := c.list[i]
		c.mu.Lock()
		c.sum += n
		c.mu.Unlock()
	}
}

// Add merges what was computed apart.
type Hist struct {
	mu     sync.Mutex
	counts map[string]int
	total  int
}

func (h *Hist) Merge(o *Hist) {
	o.mu.Lock()
	part := make(map[string]int, len(o.counts))
	for k, n := range o.counts {
		part[k] = n
	}
	o.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	for k, n := range part {
		h.counts[k] += n
		h.total += n
	}
}
