// Package registry is the in-memory service registry of the discovery server.
// Instances register with a lease and keep it alive by renewing it.
package registry

import (
	"context"
	"errors"
	"sort"
	"sync"
	"time"
)

// ErrUnknownInstance tells a client that it has to register again.
var ErrUnknownInstance = errors.New("registry: unknown instance")

// Instance is one running copy of a service.
type Instance struct {
	Service string
	ID      string
	Addr    string
	Tags    []string
}

type lease struct {
	inst    Instance
	ttl     time.Duration
	expires time.Time
}

// ref names an instance.
type ref struct{ service, id string }

// Registry holds all leases. The HTTP handlers of the discovery server call its
// methods concurrently, and Run evicts what has expired.
type Registry struct {
	now func() time.Time

	mu       sync.RWMutex
	services map[string]map[string]*lease
	index    uint64 // raised with every change of membership
}

// New returns an empty registry.
func New() *Registry {
	return &Registry{now: time.Now, services: make(map[string]map[string]*lease)}
}

// Register adds an instance or replaces an earlier registration of the same ID.
func (r *Registry) Register(inst Instance, ttl time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	byID := r.services[inst.Service]
	if byID == nil {
		byID = make(map[string]*lease)
		r.services[inst.Service] = byID
	}
	byID[inst.ID] = &lease{inst: inst, ttl: ttl, expires: r.now().Add(ttl)}
	r.index++
}

// Renew extends a lease by its TTL.
func (r *Registry) Renew(service, id string) (time.Time, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.services[service][id]
	if !ok {
		return time.Time{}, ErrUnknownInstance
	}
	l.expires = r.now().Add(l.ttl)
	return l.expires, nil
}

// removeLocked deletes a lease. Caller holds r.mu.
func (r *Registry) removeLocked(k ref) bool {
	byID := r.services[k.service]
	if _, ok := byID[k.id]; !ok {
		return false
	}
	delete(byID, k.id)
	if len(byID) == 0 {
		delete(r.services, k.service)
	}
	r.index++
	return true
}

// Deregister removes an instance that is shutting down.
func (r *Registry) Deregister(service, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.removeLocked(ref{service, id}) {
		return ErrUnknownInstance
	}
	return nil
}

// Lookup returns the instances of a service, ordered by ID, and the index at
// which the answer was taken.
func (r *Registry) Lookup(service string) ([]Instance, uint64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	byID := r.services[service]
	out := make([]Instance, 0, len(byID))
	for _, l := range byID {
		out = append(out, l.inst)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, r.index
}

// sweep evicts everything that has expired and returns how many leases that was.
// It scans with the lock held for reading only, so that lookups go on meanwhile.
func (r *Registry) sweep() int {
	at := r.now()
	var out []ref
	r.mu.RLock()
	for name, byID := range r.services {
		for id, l := range byID {
			if !l.expires.After(at) {
				out = append(out, ref{name, id})
			}
		}
	}
	r.mu.RUnlock()

	n := 0
	for _, k := range out {
		r.mu.Lock()
		if r.removeLocked(k) {
			n++
		}
		r.mu.Unlock()
	}
	return n
}

// Run sweeps at every interval until ctx ends. evicted, if not nil, is told how
// many leases each sweep removed.
func (r *Registry) Run(ctx context.Context, interval time.Duration, evicted func(n int)) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if n := r.sweep(); n > 0 && evicted != nil {
				evicted(n)
			}
		}
	}
}
