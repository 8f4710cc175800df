package awaited

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Sequence lets each one in when it is his turn: nobody else waits for the same.
type Sequence struct {
	mu   sync.Mutex
	cond *sync.Cond
	last int
	next int
}

func (s *Sequence) draw() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.last
	s.last++
	return t
}

func (s *Sequence) await(t int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.next != t {
		s.cond.Wait()
	}
}

func (s *Sequence) advance() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	s.cond.Broadcast()
}

func (s *Sequence) Do(do func()) {
	t := s.draw()
	s.await(t)
	do()
	s.advance()
}

// A Line has one consumer: those who put something in only make more of it.
type Line struct {
	mu   sync.Mutex
	cond *sync.Cond
	n    int
}

func NewLine(do func()) *Line {
	l := &Line{}
	l.cond = sync.NewCond(&l.mu)
	go l.run(do)
	return l
}

func (l *Line) Put() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	l.cond.Signal()
}

func (l *Line) await() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.n == 0 {
		l.cond.Wait()
	}
}

func (l *Line) pop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n--
}

func (l *Line) run(do func()) {
	for {
		l.await()
		do()
		l.pop()
	}
}

// A Reservoir gives back after it has waited for less: that there is even less then is no harm.
type Reservoir struct {
	high int

	mu   sync.Mutex
	cond *sync.Cond
	used int
}

func (r *Reservoir) awaitCalm() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.used > r.high {
		r.cond.Wait()
	}
}

func (r *Reservoir) Finish(n int) {
	r.awaitCalm()
	r.mu.Lock()
	r.used -= n
	r.mu.Unlock()
}

func (r *Reservoir) Fill(n int) {
	r.awaitCalm()
	r.mu.Lock()
	r.used += n // want `check-then-act: r.used was checked at line 115`
	r.mu.Unlock()
}

// A Stage only goes up.
type Stage struct {
	mu   sync.Mutex
	cond *sync.Cond
	n    int
}

func (s *Stage) Next(after int) {
	s.mu.Lock()
	for s.n < after {
		s.cond.Wait()
	}
	s.mu.Unlock()
	s.mu.Lock()
	s.n++
	s.cond.Broadcast()
	s.mu.Unlock()
}

// A Start waits for what nobody takes back.
type Start struct {
	mu             sync.Mutex
	cond           *sync.Cond
	ready, started bool
}

func (s *Start) awaitReady() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.ready {
		s.cond.Wait()
	}
}

func (s *Start) Go() {
	s.awaitReady()
	s.mu.Lock()
	s.started = true
	s.mu.Unlock()
}

func (s *Start) Publish() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return false
	}
	s.ready = true
	s.cond.Broadcast()
	return true
}

// A Hall announces that it closes before it calls the function that waits.
type Hall struct {
	mu              sync.Mutex
	idle            *sync.Cond
	active          int
	closing, closed bool
}

func (h *Hall) Serve(do func()) {
	h.mu.Lock()
	if h.closing || h.closed {
		h.mu.Unlock()
		return
	}
	h.active++
	h.mu.Unlock()
	do()
	h.mu.Lock()
	h.active--
	h.idle.Broadcast()
	h.mu.Unlock()
}

func (h *Hall) Close() {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	h.finish()
}

func (h *Hall) finish() {
	h.mu.Lock()
	for h.active > 0 {
		h.idle.Wait()
	}
	h.mu.Unlock()
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
}

// A Lock is a flag that two may find clear.
type Lock struct {
	mu   sync.Mutex
	cond *sync.Cond
	busy bool
}

func (l *Lock) await() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.busy {
		l.cond.Wait()
	}
}

func (l *Lock) set(busy bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = busy
	l.cond.Broadcast()
}

func (l *Lock) Do(do func()) {
	l.await()
	l.set(true) // want `check-then-act: l.busy was checked at line 237`
	do()
	l.set(false)
}

// A Limit is polled: by a number, by an answer, and with a wait in a callee.
type Limit struct {
	n   atomic.Int64
	max int64
}

func (l *Limit) Enter() {
	for l.n.Load() >= l.max {
		time.Sleep(time.Millisecond)
	}
	l.n.Add(1) // want `check-then-act: l.n was checked at line 250`
}

func (l *Limit) Leave() { l.n.Add(-1) }

type Places struct {
	mu   sync.Mutex
	used int
	max  int
}

func (p *Places) full() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used >= p.max
}

func (p *Places) take() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used++
}

func (p *Places) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used--
}

func pause() { time.Sleep(time.Millisecond) }

func (p *Places) Enter() {
	for p.full() {
		pause()
	}
	p.take() // want `check-then-act: p.used was checked at line 285`
}
