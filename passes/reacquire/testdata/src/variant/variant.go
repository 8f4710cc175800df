// Package variant has two locks that are taken one after the other while a third
// is held, for the flag -variant.
package variant

import "sync"

type Tank struct {
	mu    sync.Mutex
	level int
}

func (t *Tank) Level() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.level
}

func (t *Tank) Add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.level += n
}

type Plant struct {
	mu   sync.Mutex
	a, b *Tank
	used int
}

func (p *Plant) Total() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.a.Level() + p.b.Level() // want `variant: p\.b\.mu is taken here, after p\.a\.mu at line 33, in one critical section of p\.mu: what the two protect may not fit together`
}

// The same tank: that is the pattern itself.
func (p *Plant) Drift() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.a.Level()
	p.used++
	return p.a.Level() - before // want `reacquire: p\.a\.mu is taken again here, after line 40, in one critical section of p\.mu; what the first passage reads of p\.a\.level may be changed in between by \(\*Tank\)\.Add`
}

// Both are held at the end.
func (p *Plant) Sum() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.a.mu.Lock()
	defer p.a.mu.Unlock()
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	return p.a.level + p.b.level
}

// One after the other without a context.
func Apart(a, b *Tank) int { return a.Level() + b.Level() }

// One in each branch.
func (p *Plant) Either(first bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if first {
		return p.a.Level()
	}
	return p.b.Level()
}
