// Package uncorrelated is for -correlation=false: reads are told from writes,
// but all views count, whether or not what they have comes together.
package uncorrelated

import (
	"log"
	"sync"
)

type pair struct {
	mu   sync.Mutex
	a, b int
}

func (p *pair) Set(a, b int) {
	p.mu.Lock()
	p.a, p.b = a, b
	p.mu.Unlock()
}

func (p *pair) Both() (int, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.a, p.b
}

// Used for different things.
func (p *pair) Each(use func(int)) {
	p.mu.Lock()
	a := p.a
	p.mu.Unlock()
	use(a)
	p.mu.Lock()
	b := p.b // want `split-read: p\.a at line 30 and p\.b here are read apart, in separate critical sections, but written together by \(\*pair\)\.Set`
	p.mu.Unlock()
	use(b)
}

// For people only.
func (p *pair) Print() {
	p.mu.Lock()
	a := p.a
	p.mu.Unlock()
	p.mu.Lock()
	b := p.b // want `split-read: p\.a at line 42 and p\.b here are read apart, in separate critical sections, but written together by \(\*pair\)\.Set`
	p.mu.Unlock()
	log.Println(a, b)
}

// From two sources, as what it is for.
func (p *pair) Fill() {
	p.mu.Lock()
	p.a = left
	p.mu.Unlock()
	p.mu.Lock()
	p.b = right // want `split-write: p\.a at line 53 and p\.b here are written apart, in separate critical sections, but read together by \(\*pair\)\.Both`
	p.mu.Unlock()
}

func (p *pair) PrintAtOnce() {
	p.mu.Lock()
	log.Println(p.a, p.b)
	p.mu.Unlock()
}

// A chain.
func (p *pair) Peek(use func(int)) {
	p.mu.Lock()
	a := p.a
	p.mu.Unlock()
	use(a)
	p.mu.Lock()
	use(p.a)
	use(p.b)
	p.mu.Unlock()
}

// Reads do not disturb reads: nobody writes these together.

type readers struct {
	mu   sync.Mutex
	x, y int
}

func (r *readers) SetX(x int) {
	r.mu.Lock()
	r.x = x
	r.mu.Unlock()
}

func (r *readers) SetY(y int) {
	r.mu.Lock()
	r.y = y
	r.mu.Unlock()
}

func (r *readers) Sum() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.x + r.y
}

func (r *readers) SumApart() int {
	r.mu.Lock()
	x := r.x
	r.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	return x + r.y
}

var left, right int
