package inline

import (
	"runtime"
	"sync"
)

// Loops.

type gauge struct {
	mu     sync.Mutex
	lo, hi int
}

func (g *gauge) Set(lo, hi int) {
	g.mu.Lock()
	g.lo, g.hi = lo, hi
	g.mu.Unlock()
}

// Poll has two sections in each round.
func (g *gauge) Poll(n int, out chan<- int) {
	for range n {
		g.mu.Lock()
		lo := g.lo
		g.mu.Unlock()
		g.mu.Lock()
		hi := g.hi // want `split-read: g\.lo at line 25 and g\.hi here are read apart, in separate critical sections`
		g.mu.Unlock()
		out <- hi - lo
	}
}

func (g *gauge) PollAtOnce(n int, out chan<- int) {
	for range n {
		g.mu.Lock()
		lo, hi := g.lo, g.hi
		g.mu.Unlock()
		out <- hi - lo
	}
}

// Search takes the one before the loop, and the other in it.
func (g *gauge) Search(list []int) int {
	g.mu.Lock()
	lo := g.lo
	g.mu.Unlock()
	for i, v := range list {
		g.mu.Lock()
		ok := lo <= v && v < g.hi // want `split-read: g\.lo at line 46 and g\.hi here are read apart, in separate critical sections`
		g.mu.Unlock()
		if ok {
			return i
		}
	}
	return -1
}

// Zero clears one after the other, in every round.
func (g *gauge) Zero(tick <-chan int) {
	for range tick {
		g.mu.Lock()
		g.lo = 0
		g.mu.Unlock()
		g.mu.Lock()
		g.hi = 0 // want `split-write: g\.lo at line 63 and g\.hi here are written apart, in separate critical sections`
		g.mu.Unlock()
	}
}

func (g *gauge) ZeroAtOnce(tick <-chan int) {
	for range tick {
		g.mu.Lock()
		g.lo = 0
		g.hi = 0
		g.mu.Unlock()
	}
}

// Callees that give up the lock of their caller.

type pipe struct {
	mu         sync.Mutex
	cond       *sync.Cond
	head, tail int
}

func (p *pipe) Jump(n int) {
	p.mu.Lock()
	p.head, p.tail = n, n
	p.cond.Broadcast()
	p.mu.Unlock()
}

// breathe lets others in.
func (p *pipe) breathe() {
	p.mu.Unlock()
	runtime.Gosched()
	p.mu.Lock()
}

// settle does not.
func (p *pipe) settle() {
	if p.head > p.tail {
		p.head = p.tail
	}
}

func (p *pipe) Fill() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	head := p.head
	p.breathe()
	return p.tail - head // want `split-read: p\.head at line 112 and p\.tail here are read apart, in separate critical sections`
}

func (p *pipe) FillSettled() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	head := p.head
	p.settle()
	return p.tail - head
}

func (p *pipe) FillAfter() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.breathe()
	return p.tail - p.head
}

// Waiting gives up the lock, too.
func (p *pipe) Wait() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	head := p.head
	for p.tail == 0 {
		p.cond.Wait()
	}
	return p.tail - head // want `split-read: p\.head at line 136 and p\.tail here are read apart, in separate critical sections`
}

func (p *pipe) WaitFirst() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.tail == 0 {
		p.cond.Wait()
	}
	head := p.head
	return p.tail - head
}

// Literals.

type sensor struct {
	mu        sync.Mutex
	temp, hum float64
}

func (s *sensor) withLock(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *sensor) Measured(temp, hum float64) {
	s.withLock(func() {
		s.temp = temp
		s.hum = hum
	})
}

func (s *sensor) Index() float64 {
	var temp, hum float64
	s.withLock(func() { temp = s.temp })
	s.withLock(func() { hum = s.hum }) // want `split-read: s\.temp at line 175 and s\.hum here are read apart, in separate critical sections, but written together by \(\*sensor\)\.Measured`
	return temp * hum
}

func (s *sensor) IndexAtOnce() float64 {
	var temp, hum float64
	s.withLock(func() {
		temp = s.temp
		hum = s.hum
	})
	return temp * hum
}

// Called in place.
func (s *sensor) Dew() float64 {
	temp := func() float64 {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.temp
	}()
	hum := func() float64 {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.hum
	}() // want `split-read: s\.temp at line 195 and s\.hum here are read apart, in separate critical sections`
	return temp - hum
}

func (s *sensor) DewAtOnce() float64 {
	return func() float64 {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.temp - s.hum
	}()
}

// Calibrate writes one after the other.
func (s *sensor) Calibrate() {
	s.withLock(func() { s.temp = 0 })
	s.withLock(func() { s.hum = 0 }) // want `split-write: s\.temp at line 214 and s\.hum here are written apart, in separate critical sections`
}

// Deferred calls run at the end.
func (s *sensor) Last() (sum float64) {
	s.mu.Lock()
	temp := s.temp
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		sum = temp + s.hum // want `split-read: s\.temp at line 221 and s\.hum here`
		s.mu.Unlock()
	}()
	return 0
}
