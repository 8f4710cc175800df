package retry

import (
	"errors"
	"sync"
	"time"
)

type Policy struct {
	mu     sync.Mutex
	lo, hi time.Duration
}

func (p *Policy) Lo() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lo
}

func (p *Policy) Hi() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hi
}

func (p *Policy) set(lo, hi time.Duration) {
	p.mu.Lock()
	p.lo, p.hi = lo, hi
	p.mu.Unlock()
}

type Policies struct {
	mu     sync.RWMutex
	byName map[string]*Policy
}

func (ps *Policies) For(name string) *Policy {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	return ps.byName[name]
}

func (ps *Policies) Tune(name string, lo, hi time.Duration) error {
	if lo < 0 || lo >= hi {
		return errors.New("retry: bad bounds")
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p, ok := ps.byName[name]; ok {
		p.set(lo, hi)
		return nil
	}
	if ps.byName == nil {
		ps.byName = make(map[string]*Policy)
	}
	ps.byName[name] = &Policy{lo: lo, hi: hi}
	return nil
}
