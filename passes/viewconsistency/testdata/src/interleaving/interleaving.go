// Package interleaving has splits that only an execution can judge.
package interleaving

import "sync"

// A pair has two values that are set together.
type pair struct {
	mu   sync.Mutex
	a, b int
}

func (p *pair) Set(n int) {
	p.mu.Lock()
	p.a, p.b = n, n
	p.mu.Unlock()
}

func (p *pair) A() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.a
}

func (p *pair) B() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b
}

// Sum returns a sum that never was.
func (p *pair) Sum() int {
	a := p.A()
	return a + p.B() // want `split-read: .*`
}
