package skew

import (
	"errors"
	"sync"
	"sync/atomic"
)

var errTooFew = errors.New("too few")

// A Fleet keeps some of its replicas in service. Each has a lock of its own.
type Fleet struct {
	replicas map[string]*replica
	least    int
	draining sync.Mutex
}

type replica struct {
	mu      sync.Mutex
	serving bool
}

func (r *replica) isServing() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.serving
}

func (r *replica) set(serving bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.serving = serving
}

// drop looks at its own state again, and not at the others.
func (r *replica) drop() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.serving {
		return false
	}
	r.serving = false
	return true
}

func (f *Fleet) serving() int {
	n := 0
	for _, r := range f.replicas {
		if r.isServing() {
			n++
		}
	}
	return n
}

// Drain may leave too few, if two are drained at once.
func (f *Fleet) Drain(id string) error {
	if f.serving() <= f.least {
		return errTooFew
	}
	f.replicas[id].set(false) // want `check-then-act: f.replicas\[…\].serving was checked at line \d+, .*two calls of the exported \(\*Fleet\).Drain may do this at once`
	return nil
}

func (f *Fleet) Drop(id string) error {
	if f.serving() <= f.least {
		return errTooFew
	}
	f.replicas[id].drop() // want `check-then-act: f.replicas\[…\].serving was checked at line \d+`
	return nil
}

// Replace drains one at a time.
func (f *Fleet) Replace(id string) error {
	f.draining.Lock()
	defer f.draining.Unlock()
	if f.serving() <= f.least {
		return errTooFew
	}
	f.replicas[id].set(false)
	return nil
}

// Restart changes the one that it has found, to a constant.
func (f *Fleet) Restart() {
	for _, r := range f.replicas {
		if r.isServing() {
			r.set(false)
			return
		}
	}
}

// A Purse has several pots, which cover together what is paid out of one.
type Purse struct {
	pots [4]atomic.Int64
}

func (p *Purse) sum() (n int64) {
	for i := range p.pots {
		n += p.pots[i].Load()
	}
	return n
}

func (p *Purse) Pay(from int, n int64) error {
	if p.sum() < n {
		return errTooFew
	}
	p.pots[from].Add(-n) // want `check-then-act: p.pots\[…\] was checked at line \d+`
	return nil
}
