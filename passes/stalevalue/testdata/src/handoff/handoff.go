// Package handoff has acts that are made by whoever receives what is sent, and by goroutines
// that are started with what was read.
package handoff

import (
	"errors"
	"sync"
)

var errTaken = errors.New("taken")

// A Registry is changed by one goroutine, which receives what it has to do.
type Registry struct {
	mu    sync.RWMutex
	owner map[string]string
	total int
	limit int
	term  int
	joins chan join
	sizes chan int
}

type join struct {
	name, owner string
	done        chan struct{}
}

// Run receives until the channel is closed.
func (r *Registry) Run() {
	for j := range r.joins {
		r.mu.Lock()
		r.owner[j.name] = j.owner
		r.mu.Unlock()
		close(j.done)
	}
}

// Join looks the name up, and has it entered by Run.
func (r *Registry) Join(name, owner string) error {
	r.mu.RLock()
	_, ok := r.owner[name]
	r.mu.RUnlock()
	if ok {
		return errTaken
	}
	done := make(chan struct{})
	r.joins <- join{name, owner, done} // want `r.owner\[name\] was checked .* before \(\*Registry\).Run`
	<-done
	return nil
}

// JoinByCall has another function send.
func (r *Registry) JoinByCall(name, owner string) error {
	r.mu.RLock()
	_, ok := r.owner[name]
	r.mu.RUnlock()
	if ok {
		return errTaken
	}
	r.post(join{name, owner, make(chan struct{})}) // want `r.owner\[name\] was checked .* before \(\*Registry\).Run`
	return nil
}

func (r *Registry) post(j join) { r.joins <- j }

// Rename is about one name, and looks at another.
func (r *Registry) Rename(name, other, owner string) {
	r.mu.RLock()
	_, ok := r.owner[name]
	r.mu.RUnlock()
	if ok {
		return
	}
	r.joins <- join{other, owner, make(chan struct{})}
}

// Replace enters the name whatever is there.
func (r *Registry) Replace(name, owner string) {
	r.joins <- join{name, owner, make(chan struct{})}
}

// Sizes receives new sizes.
func (r *Registry) Sizes() {
	for {
		select {
		case n, ok := <-r.sizes:
			if !ok {
				return
			}
			r.mu.Lock()
			r.total = n
			r.mu.Unlock()
		}
	}
}

// Grow computes the new size from the old one.
func (r *Registry) Grow(by int) {
	r.mu.RLock()
	n := r.total
	r.mu.RUnlock()
	r.sizes <- n + by // want `r.total was read .* lost when \(\*Registry\).Sizes`
}

// Set computes it from nothing.
func (r *Registry) Set(n int) { r.sizes <- n }

// A Careful is a Registry whose goroutine looks again.
type Careful struct {
	mu    sync.Mutex
	owner map[string]string
	total int
	gen   int
	joins chan join
	adds  chan int
	sets  chan update
}

type update struct{ total, gen int }

// Run looks again, adds, and compares generations.
func (c *Careful) Run() {
	for {
		select {
		case j := <-c.joins:
			c.enter(j)
		case n := <-c.adds:
			c.mu.Lock()
			c.total += n
			c.gen++
			c.mu.Unlock()
		case u := <-c.sets:
			c.mu.Lock()
			if u.gen == c.gen {
				c.total = u.total
				c.gen++
			}
			c.mu.Unlock()
		}
	}
}

func (c *Careful) enter(j join) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.owner[j.name]; !ok {
		c.owner[j.name] = j.owner
	}
}

// Join only filters before.
func (c *Careful) Join(name, owner string) error {
	c.mu.Lock()
	_, ok := c.owner[name]
	c.mu.Unlock()
	if ok {
		return errTaken
	}
	c.joins <- join{name: name, owner: owner}
	return nil
}

// Double sends a difference.
func (c *Careful) Double() {
	c.mu.Lock()
	n := c.total
	c.mu.Unlock()
	c.adds <- n
}

// Halve sends what it is computed from along.
func (c *Careful) Halve() {
	c.mu.Lock()
	u := update{c.total / 2, c.gen}
	c.mu.Unlock()
	c.sets <- u
}

// An Actor is read by others, but all that decides about it is decided by one goroutine.
type Actor struct {
	mu   sync.Mutex
	seat map[int]string
	asks chan ask
	puts chan ask
}

type ask struct {
	n  int
	by string
}

// NewActor starts its goroutine.
func NewActor() *Actor {
	a := &Actor{seat: make(map[int]string), asks: make(chan ask), puts: make(chan ask, 1)}
	go a.run()
	return a
}

func (a *Actor) run() {
	for {
		select {
		case q := <-a.asks:
			a.decide(q)
		case q := <-a.puts:
			a.mu.Lock()
			a.seat[q.n] = q.by
			a.mu.Unlock()
		}
	}
}

// decide runs in the one goroutine that makes the act as well.
func (a *Actor) decide(q ask) {
	a.mu.Lock()
	_, ok := a.seat[q.n]
	a.mu.Unlock()
	if !ok {
		a.puts <- q
	}
}

// Ask is for others.
func (a *Actor) Ask(n int, by string) { a.asks <- ask{n, by} }

// Seat is for others.
func (a *Actor) Seat(n int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seat[n]
}

// A Serial lets one sender at a time wait for the answer.
type Serial struct {
	order sync.Mutex
	mu    sync.Mutex
	total int
	sets  chan set
}

type set struct {
	n    int
	done chan struct{}
}

func (s *Serial) run() {
	for m := range s.sets {
		s.mu.Lock()
		s.total = m.n
		s.mu.Unlock()
		m.done <- struct{}{}
	}
}

// Start starts the goroutine.
func (s *Serial) Start() { go s.run() }

// Add holds order until the answer has come.
func (s *Serial) Add(n int) {
	s.order.Lock()
	defer s.order.Unlock()
	s.mu.Lock()
	sum := s.total + n
	s.mu.Unlock()
	done := make(chan struct{})
	s.sets <- set{sum, done}
	<-done
}

// Unawaited is a Serial that does not wait: order is released before the act.
type Unawaited struct {
	order sync.Mutex
	mu    sync.Mutex
	total int
	sets  chan set
}

func (s *Unawaited) run() {
	for m := range s.sets {
		s.mu.Lock()
		s.total = m.n
		s.mu.Unlock()
		close(m.done)
	}
}

// Start starts the goroutine.
func (s *Unawaited) Start() { go s.run() }

// Add waits after order is released.
func (s *Unawaited) Add(n int) {
	s.order.Lock()
	s.mu.Lock()
	sum := s.total + n
	s.mu.Unlock()
	done := make(chan struct{})
	s.sets <- set{sum, done} // want `s.total was read .* lost when \(\*Unawaited\).run`
	s.order.Unlock()
	<-done
}

// A Log has its entries applied by a machine that holds the state: two hops.
type Log struct {
	entries chan entry
	commits chan entry
	state   *State
}

type entry struct {
	key string
	n   int
}

// A State is the state that the log is applied to.
type State struct {
	mu   sync.Mutex
	used map[string]int
}

func (s *State) set(k string, n int) {
	s.mu.Lock()
	s.used[k] = n
	s.mu.Unlock()
}

func (s *State) get(k string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used[k]
}

func (l *Log) lead() {
	for e := range l.entries {
		l.commits <- e
	}
}

func (l *Log) apply() {
	for e := range l.commits {
		l.state.set(e.key, e.n)
	}
}

// Start starts both goroutines.
func (l *Log) Start() {
	go l.lead()
	go l.apply()
}

// Propose sends.
func (l *Log) Propose(e entry) { l.entries <- e }

// A Server proposes changes of the state.
type Server struct {
	log   *Log
	state *State
}

// Reserve adds to what is used when the log is applied.
func (s *Log) Reserve(k string, n int) {
	used := s.state.get(k)
	s.Propose(entry{k, used + n}) // want `state.used\[k\] was read .* lost when \(\*Log\).apply`
}

// A Window is saved by goroutines.
type Window struct {
	mu    sync.Mutex
	wg    sync.WaitGroup
	seen  int
	state map[string]int
}

// Advance has a goroutine write back what was computed from an older value.
func (w *Window) Advance(by int) {
	w.mu.Lock()
	next := w.seen + by
	w.mu.Unlock()
	go func() { // want `w.seen was read .* lost when the goroutine`
		w.mu.Lock()
		w.seen = next
		w.mu.Unlock()
	}()
}

// Store starts a method with what it has computed.
func (w *Window) Store(k string) {
	w.mu.Lock()
	n := w.state[k]
	w.mu.Unlock()
	go w.put(k, n*2) // want `w.state\[k\] was read .* lost when the goroutine`
}

func (w *Window) put(k string, n int) {
	w.mu.Lock()
	w.state[k] = n
	w.mu.Unlock()
}

// AdvanceBy adds.
func (w *Window) AdvanceBy(by int) {
	w.mu.Lock()
	n := w.seen
	w.mu.Unlock()
	go func() {
		w.mu.Lock()
		w.seen += n + by
		w.mu.Unlock()
	}()
}

// AdvanceIf looks again.
func (w *Window) AdvanceIf(by int) {
	w.mu.Lock()
	old := w.seen
	w.mu.Unlock()
	go func() {
		w.mu.Lock()
		if w.seen == old {
			w.seen = old + by
		}
		w.mu.Unlock()
	}()
}

// AdvanceAfresh reads in the goroutine.
func (w *Window) AdvanceAfresh(by int) {
	w.mu.Lock()
	n := w.seen
	w.mu.Unlock()
	println(n)
	go func() {
		w.mu.Lock()
		w.seen = w.seen + by
		w.mu.Unlock()
	}()
}
