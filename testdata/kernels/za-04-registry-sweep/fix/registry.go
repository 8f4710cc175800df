// Package discovery is the registry of the service mesh: instances register
// with a lease, keep it alive by heartbeats and are listed by name.
package discovery

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNoLease tells a client that its instance is not registered (any more)
// and that it has to register again.
var ErrNoLease = errors.New("discovery: no such lease")

// Instance describes a running copy of a service.
type Instance struct {
	ID      string
	Service string
	Addr    string
}

// lease is a registered instance with the time it is good for.
type lease struct {
	inst  Instance
	until atomic.Int64 // unix nanoseconds
}

// Registry is safe for concurrent use. Heartbeats are by far the most
// frequent call; they share the lock with lookups.
type Registry struct {
	ttl time.Duration
	now func() time.Time

	mu      sync.RWMutex
	leases  map[string]*lease
	index   uint64
	changed chan struct{} // closed when index moves
}

// NewRegistry returns a registry whose leases last ttl.
func NewRegistry(ttl time.Duration) *Registry {
	return &Registry{
		ttl:     ttl,
		now:     time.Now,
		leases:  make(map[string]*lease),
		changed: make(chan struct{}),
	}
}

// bump moves the index and wakes the watchers. The caller holds mu.
func (r *Registry) bump() {
	r.index++
	close(r.changed)
	r.changed = make(chan struct{})
}

// Register adds an instance or replaces the one with the same id.
func (r *Registry) Register(inst Instance) {
	l := &lease{inst: inst}
	l.until.Store(r.now().Add(r.ttl).UnixNano())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leases[inst.ID] = l
	r.bump()
}

// Heartbeat extends the lease of id. After a nil error the instance is listed
// for at least another ttl.
func (r *Registry) Heartbeat(id string) error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	l, ok := r.leases[id]
	if !ok {
		return ErrNoLease
	}
	l.until.Store(r.now().Add(r.ttl).UnixNano())
	return nil
}

// Deregister removes an instance that shuts down in an orderly way.
func (r *Registry) Deregister(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.leases[id]; ok {
		delete(r.leases, id)
		r.bump()
	}
}

// expired lists the ids whose lease ended before now.
func (r *Registry) expired(now time.Time) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var ids []string
	for id, l := range r.leases {
		if l.until.Load() < now.UnixNano() {
			ids = append(ids, id)
		}
	}
	return ids
}

// sweep drops the instances whose lease ran out and returns how many it
// dropped. The registry is large, so the scan runs beside the heartbeats.
func (r *Registry) sweep() int {
	now := r.now()
	n := 0
	for _, id := range r.expired(now) {
		if r.expire(id, now) {
			n++
		}
	}
	return n
}

// expire drops id when its lease is still over at now. Heartbeats hold the
// lock shared, so none is under way.
func (r *Registry) expire(id string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.leases[id]
	if !ok || l.until.Load() >= now.UnixNano() {
		return false
	}
	delete(r.leases, id)
	r.bump()
	return true
}

// Run sweeps until ctx ends.
func (r *Registry) Run(ctx context.Context) {
	tick := time.NewTicker(r.ttl / 3)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.sweep()
		case <-ctx.Done():
			return
		}
	}
}

// Lookup lists the instances of service and the index of the answer.
func (r *Registry) Lookup(service string) ([]Instance, uint64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.list(service), r.index
}

func (r *Registry) list(service string) []Instance {
	var out []Instance
	for _, l := range r.leases {
		if l.inst.Service == service {
			out = append(out, l.inst)
		}
	}
	return out
}

// Watch waits until the registry has moved past index and answers like
// Lookup.
func (r *Registry) Watch(ctx context.Context, service string, index uint64) ([]Instance, uint64, error) {
	for {
		r.mu.RLock()
		if r.index > index {
			out, at := r.list(service), r.index
			r.mu.RUnlock()
			return out, at, nil
		}
		changed := r.changed
		r.mu.RUnlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, index, ctx.Err()
		}
	}
}
