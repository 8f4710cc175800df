package pools

import (
	"sync"
	"sync/atomic"
)

type place struct{ users atomic.Int32 }

// Places are given back by a helper that has the name and the place.
type Places struct {
	mu     sync.RWMutex
	byName map[string]*place
}

func (p *Places) Use(name string, do func()) {
	x := p.join(name)
	do()
	p.part(name, x) // want `p.byName\[name\] is removed here, whatever is there by now`
}

func (p *Places) UseChecked(name string, do func()) {
	x := p.join(name)
	do()
	p.partChecked(name, x)
}

func (p *Places) join(name string) *place {
	p.mu.RLock()
	if x, ok := p.byName[name]; ok {
		x.users.Add(1)
		p.mu.RUnlock()
		return x
	}
	p.mu.RUnlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	x, ok := p.byName[name]
	if !ok {
		x = new(place)
		p.byName[name] = x
	}
	x.users.Add(1)
	return x
}

// part removes a place that has a user again.
func (p *Places) part(name string, x *place) {
	if x.users.Add(-1) > 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.byName, name) // want `x.users was checked at line \d+`
}

// partChecked looks at the place that is there, and at its users.
func (p *Places) partChecked(name string, x *place) {
	if x.users.Add(-1) > 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byName[name] == x && x.users.Load() == 0 {
		delete(p.byName, name)
	}
}
