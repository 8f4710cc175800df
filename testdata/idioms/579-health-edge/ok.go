// Package ok tracks the health of upstream servers.
package ok

import (
	"sync"
	"sync/atomic"
	"time"
)

// Upstream is a server. It is shared by all requests.
type Upstream struct {
	Dial string

	unhealthy   atomic.Bool
	fails       atomic.Int64 // in the last failDuration
	transitions atomic.Uint64
}

// setHealthy returns true if that is a change.
func (u *Upstream) setHealthy(healthy bool) bool {
	return u.unhealthy.CompareAndSwap(healthy, !healthy)
}

// failure is taken back by its timer.
type failure struct {
	u     *Upstream
	timer *time.Timer
}

// Policy counts failures of requests.
type Policy struct {
	MaxFails     int64
	FailDuration time.Duration

	mu       sync.Mutex
	failures map[*failure]struct{} // nil after Stop
}

// NewPolicy returns a policy.
func NewPolicy(maxFails int64, d time.Duration) *Policy {
	return &Policy{MaxFails: maxFails, FailDuration: d, failures: make(map[*failure]struct{})}
}

// CountFailure remembers a failure of a request for some time.
func (p *Policy) CountFailure(u *Upstream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failures == nil {
		return
	}
	u.fails.Add(1)
	f := &failure{u: u}
	f.timer = time.AfterFunc(p.FailDuration, func() { p.forget(f) })
	p.failures[f] = struct{}{}
}

// forget takes a failure back unless Stop has done so.
func (p *Policy) forget(f *failure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.failures[f]; ok {
		delete(p.failures, f)
		f.u.fails.Add(-1)
	}
}

// Stop takes back all failures that this policy has counted.
func (p *Policy) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for f := range p.failures {
		f.timer.Stop()
		f.u.fails.Add(-1)
	}
	p.failures = nil
}

// Available tells if requests should be sent to u at the moment.
func (p *Policy) Available(u *Upstream) bool {
	return !u.unhealthy.Load() && u.fails.Load() < p.MaxFails
}

// Select returns the first available upstream. An upstream that fails from now
// on costs one more try.
func (p *Policy) Select(pool []*Upstream) *Upstream {
	for _, u := range pool {
		if p.Available(u) {
			return u
		}
	}
	return nil
}

// Probed takes the result of an active check. Checks of several handlers may
// run at a time.
func Probed(u *Upstream, err error) {
	if healthy := err == nil; u.setHealthy(healthy) {
		u.transitions.Add(1)
	}
}

// Transitions returns how often the health of u has changed.
func (u *Upstream) Transitions() uint64 { return u.transitions.Load() }
