package claim

import (
	"sync"
	"sync/atomic"
)

// A Vault is closed once, and asked without a lock.
type Vault struct {
	closed  atomic.Bool
	mu      sync.Mutex
	closing bool
}

// Close has a way out that takes no lock, and claims the work then.
func (v *Vault) Close(end func()) {
	if v.closed.Load() {
		return
	}
	v.mu.Lock()
	if v.closing {
		v.mu.Unlock()
		return
	}
	v.closing = true
	v.mu.Unlock()
	v.closed.Store(true)
	end()
}

// A Safe goes on without the claim.
type Safe struct {
	closed  atomic.Bool
	mu      sync.Mutex
	closing bool
	ends    int
}

func (s *Safe) Close(end func()) {
	if s.closed.Load() {
		return
	}
	s.mu.Lock()
	if !s.closing {
		s.closing = true
		s.ends++
	}
	s.mu.Unlock()
	s.closed.Store(true) // want `check-then-act: s\.closed was checked at line \d+`
	end()
}

// A Drawer gives its claim back: who has looked before comes after it.
type Drawer struct {
	shut    atomic.Bool
	mu      sync.Mutex
	opening bool
}

func (d *Drawer) Open(end func()) {
	if d.shut.Load() {
		return
	}
	d.mu.Lock()
	if d.opening {
		d.mu.Unlock()
		return
	}
	d.opening = true
	d.mu.Unlock()
	d.shut.Store(true) // want `check-then-act: d\.shut was checked at line \d+`
	end()
	d.mu.Lock()
	d.opening = false
	d.mu.Unlock()
}
