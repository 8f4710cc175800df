package known

import (
	"sync"
	"sync/atomic"
)

// Work after the join.

type sum struct {
	mu sync.Mutex
	n  int
}

func (s *sum) add(n int) {
	s.mu.Lock()
	s.n += n
	s.mu.Unlock()
}

func (s *sum) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *sum) set(n int) {
	s.mu.Lock()
	s.n = n
	s.mu.Unlock()
}

func Mean(parts []int) int {
	s := new(sum)
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.add(p)
		}()
	}
	wg.Wait()
	s.set(s.get() / len(parts)) // all goroutines are gone
	return s.get()
}

// A method that only constructors call.

type graph struct {
	mu    sync.Mutex
	edges int
}

func (g *graph) size() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.edges
}

func (g *graph) setSize(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.edges = n
}

func (g *graph) fill() {
	g.setSize(g.size() * 2)
}

func NewGraph() *graph {
	g := &graph{edges: 1}
	g.fill()
	return g
}

func (g *graph) Clear() { g.setSize(0) }

// Two goroutines that a constructor starts, each of which owns an index.

type ring struct {
	head, tail atomic.Uint64
	buf        [64]int
}

func NewRing(in <-chan int, out chan<- int) *ring {
	r := &ring{}
	go r.produce(in)
	go r.consume(out)
	return r
}

func (r *ring) produce(in <-chan int) {
	for n := range in {
		h := r.head.Load()
		if h-r.tail.Load() == uint64(len(r.buf)) {
			continue
		}
		r.buf[h%64] = n
		r.head.Store(h + 1)
	}
}

func (r *ring) consume(out chan<- int) {
	for {
		t := r.tail.Load()
		if t == r.head.Load() {
			continue
		}
		out <- r.buf[t%64]
		r.tail.Store(t + 1)
	}
}
