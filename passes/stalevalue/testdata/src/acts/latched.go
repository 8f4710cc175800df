package acts

import (
	"sync"
	"sync/atomic"
)

// A Siphon is primed once, as soon as it can be: the flag is a claim, though something else is found before it is set.
type Siphon struct {
	primed atomic.Bool
	mu     sync.Mutex
	level  int
}

func (p *Siphon) Prime(ready func() bool) {
	if p.primed.Load() {
		return
	}
	if !ready() {
		return
	}
	p.primed.Store(true) // want `check-then-act: p.primed was checked at line \d+, but the atomic operations are separate`
	p.fill(10)
}

// PrimeFirst fills before it says so: two may fill.
func (p *Siphon) PrimeFirst(ready func() bool) {
	if p.primed.Load() {
		return
	}
	if !ready() {
		return
	}
	p.fill(10)
	p.primed.Store(true) // want `check-then-act: p.primed was checked at line \d+, but the atomic operations are separate`
}

func (p *Siphon) fill(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.level += n
}

func (p *Siphon) Level() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.level
}
