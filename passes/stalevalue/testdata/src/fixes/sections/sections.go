// Package sections makes one critical section of two.
package sections

import (
	"errors"
	"sync"
)

type Pool struct {
	mu   sync.Mutex
	rw   sync.RWMutex
	n    int
	k    int
	free map[string]int
}

var errFull = errors.New("full")

func (p *Pool) Grow() {
	p.mu.Lock()
	n := p.n
	p.mu.Unlock()
	n++
	p.mu.Lock()
	p.n = n // want `lost-update`
	p.mu.Unlock()
}

func (p *Pool) Take(max int) error {
	p.mu.Lock()
	full := p.n == max
	p.mu.Unlock()
	if full {
		return errFull
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++ // want `check-then-act`
	return nil
}

func (p *Pool) Fill(max int, say func(string)) {
	for {
		p.mu.Lock()
		n := p.n
		p.mu.Unlock()
		if n >= max {
			say("full")
			break
		}
		p.mu.Lock()
		p.n = n + 1 // want `lost-update`
		p.mu.Unlock()
	}
}

func (p *Pool) Shared(by int) {
	p.rw.RLock()
	k := p.k
	p.rw.RUnlock()
	p.rw.Lock()
	p.k = k + by // want `lost-update`
	p.rw.Unlock()
}

// What follows has no fix.

func (p *Pool) calls(f func(int) int) {
	p.mu.Lock()
	n := p.n
	p.mu.Unlock()
	n = f(n)
	p.mu.Lock()
	p.n = n // want `lost-update`
	p.mu.Unlock()
}

func (p *Pool) waits(c chan int) {
	p.mu.Lock()
	n := p.n
	p.mu.Unlock()
	d := <-c
	p.mu.Lock()
	p.n = n + d // want `lost-update`
	p.mu.Unlock()
}

func (p *Pool) publishes(to *Pool) {
	p.mu.Lock()
	n := p.n
	p.mu.Unlock()
	to.free = nil
	p.mu.Lock()
	p.n = n + 1 // want `lost-update`
	p.mu.Unlock()
}
