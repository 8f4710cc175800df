package idiom

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Values that only reach logs, metrics and error texts.

type Server struct {
	mu     sync.Mutex
	conns  int
	errs   int
	closed bool
	seen   time.Time
	peak   int
	name   string
}

func (s *Server) Open() {
	s.mu.Lock()
	s.conns++
	s.mu.Unlock()
}

func (s *Server) Report(log func(string, int)) {
	s.mu.Lock()
	n := s.conns
	s.mu.Unlock()
	log("connections", n)
}

func (s *Server) Check(log func(string, int)) error {
	s.mu.Lock()
	n, closed := s.conns, s.closed
	s.mu.Unlock()
	if closed {
		return errors.New("closed")
	}
	if n > 1000 {
		log("many connections", n)
	}
	return nil
}

// A count that has nothing to do with the decision.
func (s *Server) Fail(log func(string)) {
	s.mu.Lock()
	name := s.name
	s.mu.Unlock()
	log(name)
	s.mu.Lock()
	s.errs++
	s.mu.Unlock()
}

// Coarse time stamps.

func (s *Server) Touch() {
	now := time.Now()
	s.mu.Lock()
	old := s.seen
	s.mu.Unlock()
	if now.Sub(old) < time.Second {
		return
	}
	s.mu.Lock()
	s.seen = now
	s.mu.Unlock()
}

type Clock struct{ last atomic.Int64 }

func (c *Clock) Touch() {
	now := time.Now().Unix()
	if c.last.Load() != now {
		c.last.Store(now)
	}
}

// A hint that any caller computes alike.

type Word struct {
	text string
	mu   sync.Mutex
	hash uint32
}

func NewWord(text string) *Word { return &Word{text: text} }

func sumOf(s string) (h uint32) {
	for _, c := range s {
		h = h*31 + uint32(c)
	}
	return h
}

func (w *Word) Hash() uint32 {
	w.mu.Lock()
	h := w.hash
	w.mu.Unlock()
	if h != 0 {
		return h
	}
	n := sumOf(w.text)
	w.mu.Lock()
	w.hash = n
	w.mu.Unlock()
	return n
}

type AtomicWord struct {
	text string
	hash atomic.Uint32
}

func (w *AtomicWord) Hash() uint32 {
	if h := w.hash.Load(); h != 0 {
		return h
	}
	h := sumOf(w.text)
	w.hash.Store(h)
	return h
}

// Monotone flags.

type Shutdown struct {
	closed atomic.Bool
	mu     sync.Mutex
	queue  []int
	sealed bool
}

func (s *Shutdown) Close() { s.closed.Store(true) }

func (s *Shutdown) CloseOnce() {
	if !s.closed.Load() {
		s.closed.Store(true)
	}
}

func (s *Shutdown) Send(n int) bool {
	if s.closed.Load() {
		return false
	}
	s.mu.Lock()
	s.queue = append(s.queue, n)
	s.mu.Unlock()
	return true
}

func (s *Shutdown) Seal() {
	s.mu.Lock()
	sealed := s.sealed
	s.mu.Unlock()
	if sealed {
		return
	}
	s.mu.Lock()
	s.sealed = true
	s.mu.Unlock()
}

// Sealed clears the queue of what can never be opened again.
func (s *Shutdown) Sealed() {
	s.mu.Lock()
	sealed := s.sealed
	s.mu.Unlock()
	if sealed {
		s.mu.Lock()
		s.queue = nil
		s.mu.Unlock()
	}
}

// Configuration that is not written after construction.

type Limiter struct {
	mu    sync.Mutex
	rate  int
	burst int
	used  int
}

func NewLimiter(rate int) *Limiter {
	l := &Limiter{rate: rate}
	l.burst = rate * 2
	return l
}

func (l *Limiter) limits() (rate, burst int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rate, l.burst
}

func (l *Limiter) Spend() {
	rate, burst := l.limits()
	if rate > 10 {
		l.mu.Lock()
		l.used = burst
		l.mu.Unlock()
	}
}

func (l *Limiter) Reset() {
	l.mu.Lock()
	l.used = 0
	l.mu.Unlock()
}

// Idempotent deletes.

type Cache struct {
	mu sync.Mutex
	m  map[string]int
}

func (c *Cache) has(k string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.m[k]
	return ok
}

func (c *Cache) Drop(k string) {
	if !c.has(k) {
		return
	}
	c.mu.Lock()
	delete(c.m, k)
	c.mu.Unlock()
}

func (c *Cache) Put(k string, v int) {
	c.mu.Lock()
	c.m[k] = v
	c.mu.Unlock()
}

// Two unrelated fields.

type Both struct {
	mu   sync.Mutex
	x, y int
}

func (b *Both) SetX(n int) {
	b.mu.Lock()
	b.x = n
	b.mu.Unlock()
}

func (b *Both) SetY(n int) {
	b.mu.Lock()
	b.y = n
	b.mu.Unlock()
}

func (b *Both) Copy() {
	b.mu.Lock()
	n := b.x
	b.mu.Unlock()
	b.mu.Lock()
	b.y = n
	b.mu.Unlock()
}

// Reads in the order in which things move: from memory to disk.

type Level struct {
	memMu  sync.Mutex
	mem    map[string]int
	diskMu sync.Mutex
	disk   map[string]int
	misses int
}

func (l *Level) Get(k string) (int, bool) {
	l.memMu.Lock()
	v, ok := l.mem[k]
	l.memMu.Unlock()
	if ok {
		return v, true
	}
	l.diskMu.Lock()
	defer l.diskMu.Unlock()
	v, ok = l.disk[k]
	return v, ok
}

func (l *Level) Put(k string, v int) {
	l.memMu.Lock()
	l.mem[k] = v
	l.memMu.Unlock()
}

func (l *Level) Flush() {
	frozen := make(map[string]int)
	l.memMu.Lock()
	for k, v := range l.mem {
		frozen[k] = v
	}
	l.memMu.Unlock()
	l.diskMu.Lock()
	for k, v := range frozen {
		l.disk[k] = v
	}
	l.diskMu.Unlock()
	l.memMu.Lock()
	for k, v := range frozen {
		if l.mem[k] == v {
			delete(l.mem, k)
		}
	}
	l.memMu.Unlock()
}

// The maximum only rises: the setter compares itself.

type Peak struct {
	mu  sync.Mutex
	max int
}

func (p *Peak) Max() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.max
}

func (p *Peak) raise(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n > p.max {
		p.max = n
	}
}

func (p *Peak) Offer(n int) {
	if n > p.Max() {
		p.raise(n)
	}
}

// A container that is copied under the lock, and worked on later.

type Observers struct {
	mu   sync.Mutex
	list []func(int)
	sent int
}

func (o *Observers) Add(f func(int)) {
	o.mu.Lock()
	o.list = append(o.list, f)
	o.mu.Unlock()
}

func (o *Observers) Send(n int) {
	o.mu.Lock()
	list := append([]func(int){}, o.list...)
	o.mu.Unlock()
	for _, f := range list {
		f(n)
	}
	o.mu.Lock()
	o.sent++
	o.mu.Unlock()
}

// A pointer to an object that takes care of itself, or never changes.

type Hub struct {
	mu    sync.Mutex
	peak  *Peak
	conf  *settings
	calls int
}

type settings struct{ level int }

func (h *Hub) Configure(level int) {
	h.mu.Lock()
	h.conf = &settings{level}
	h.mu.Unlock()
}

func (h *Hub) SetPeak(p *Peak) {
	h.mu.Lock()
	h.peak = p
	h.mu.Unlock()
}

func (h *Hub) Offer(n int) {
	h.mu.Lock()
	p, c := h.peak, h.conf
	h.mu.Unlock()
	if c != nil && n > c.level {
		p.raise(n)
	}
}

// A Fleet has ships that sail until one has failed.
type Fleet struct {
	lost  atomic.Bool
	ships chan func() error
	logs  chan error
}

// Sail is run by several goroutines: that another one has set the flag, too, changes nothing.
func (f *Fleet) Sail() {
	for range 3 {
		go func() {
			for sail := range f.ships {
				if f.lost.Load() {
					continue
				}
				if err := sail(); err != nil {
					f.lost.Store(true)
					f.logs <- err
				}
			}
		}()
	}
}
