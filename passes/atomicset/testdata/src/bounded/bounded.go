// Package bounded takes locks in an order that is not nested, in a recursive
// method.
package bounded

import "sync"

// Pair has two locks, one of which is taken before the other is given up.
type Pair struct {
	a, b sync.Mutex
	x    int /* want `^incomplete: the atomic set pair of Pair is only checked in part: .* a bounded search` */ //atomvet:set pair
}

// Walk reads x once for each level.
func (p *Pair) Walk(n int) int {
	p.a.Lock()
	p.b.Lock()
	x := p.x
	p.a.Unlock()
	x += p.x
	p.b.Unlock()
	if n == 0 {
		return x
	}
	return x + p.Walk(n-1) // want `^R\(a\) W'\(a\) R\(a\): \(\*Pair\)\.Walk is not .*, if \(\*Pair\)\.Set comes`
}

// Set writes it, in two steps that nobody sees apart.
func (p *Pair) Set(x int) {
	p.b.Lock()
	defer p.b.Unlock()
	p.x = 0
	p.x += x
}
