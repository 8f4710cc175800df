package shutdowns

import (
	"sync"
	"sync/atomic"
)

type peer struct{ out chan int }

func (p *peer) close() { close(p.out) }

// A Switch is in use as long as its flag is set, which it is from the start.
type Switch struct {
	running int32
	mu      sync.Mutex
	peers   map[*peer]bool
}

func NewSwitch() *Switch { return &Switch{running: 1, peers: make(map[*peer]bool)} }

func (s *Switch) Add(p *peer) {
	if atomic.LoadInt32(&s.running) == 0 {
		return
	}
	s.mu.Lock()
	s.peers[p] = true // want `check-then-act: s.running was checked at line 22, but the atomic operations are separate and another goroutine may change it before this write of s.peers\[p\]`
	s.mu.Unlock()
}

// AddInside asks in the section in which it adds.
func (s *Switch) AddInside(p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if atomic.LoadInt32(&s.running) == 0 {
		return
	}
	s.peers[p] = true
}

func (s *Switch) Stop() {
	if !atomic.CompareAndSwapInt32(&s.running, 1, 0) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.peers {
		p.close()
	}
}

// A set has its own lock, and calls back for each element.
type set[T comparable] struct {
	mu sync.Mutex
	m  map[T]bool
}

func (s *set[T]) add(x T) {
	s.mu.Lock()
	s.m[x] = true
	s.mu.Unlock()
}

func (s *set[T]) each(visit func(T) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := range s.m {
		if !visit(x) {
			break
		}
	}
}

// A Router has its peers in a set.
type Router struct {
	state   sync.Mutex
	running bool
	peers   set[*peer]
}

func NewRouter() *Router { return &Router{running: true, peers: set[*peer]{m: make(map[*peer]bool)}} }

func (r *Router) isRunning() bool {
	r.state.Lock()
	defer r.state.Unlock()
	return r.running
}

func (r *Router) Add(p *peer) {
	if !r.isRunning() {
		return
	}
	r.peers.add(p) // want `check-then-act: r.running was checked at line \d+, but r.state was released when isRunning returned and another goroutine may change it before this call of add, which writes r.peers.m\[p\]`
}

func (r *Router) Stop() {
	r.state.Lock()
	r.running = false
	r.state.Unlock()
	r.peers.each(func(p *peer) bool {
		p.close()
		return true
	})
}

// A Poll adds peers also if it is not asked for.
type Poll struct {
	wanted atomic.Bool
	mu     sync.Mutex
	peers  map[*peer]bool
}

func (p *Poll) Want() { p.wanted.Store(true) }

func (p *Poll) Add(x *peer, always bool) {
	if !p.wanted.Load() && !always {
		return
	}
	p.mu.Lock()
	p.peers[x] = true
	p.mu.Unlock()
}

func (p *Poll) Run() {
	p.wanted.Store(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	for x := range p.peers {
		x.close()
	}
}
