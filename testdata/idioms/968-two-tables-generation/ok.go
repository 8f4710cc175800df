// Package mesh resolves names to backends from two tables that are updated
// together by the control plane.
package mesh

import (
	"context"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
)

// Table is a map that may be used concurrently.
type Table[V any] struct {
	mu sync.RWMutex
	m  map[string]V
}

// Get returns the value under k.
func (t *Table[V]) Get(k string) (V, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.m[k]
	return v, ok
}

// Replace exchanges the contents; the caller gives m away.
func (t *Table[V]) Replace(m map[string]V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m = m
}

// Push is a complete configuration.
type Push struct {
	Version string
	Routes  map[string]string   // host -> pool
	Pools   map[string][]string // pool -> addresses
}

// Resolver is safe for concurrent use.
type Resolver struct {
	// changing is held during a change of the tables. gen is odd meanwhile.
	changing sync.Mutex
	gen      atomic.Uint64

	routes Table[string]
	pools  Table[[]string]
}

// NewResolver takes pushes until ctx ends or the channel is closed.
func NewResolver(ctx context.Context, pushes <-chan Push) *Resolver {
	r := &Resolver{}
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case p, ok := <-pushes:
				if !ok {
					return
				}
				if err := r.Apply(p); err != nil {
					log.Printf("mesh: push %s refused: %v", p.Version, err)
				}
			}
		}
	}()
	return r
}

// Apply puts a configuration into effect. The pushed maps must not be used by
// the caller any more.
func (r *Resolver) Apply(p Push) error {
	for host, pool := range p.Routes {
		if len(p.Pools[pool]) == 0 {
			return fmt.Errorf("host %s: pool %q is empty or missing", host, pool)
		}
	}
	r.changing.Lock()
	defer r.changing.Unlock()
	r.gen.Add(1)
	r.routes.Replace(p.Routes)
	r.pools.Replace(p.Pools)
	r.gen.Add(1)
	return nil
}

// Resolve returns the addresses for a host, which the caller must not change.
// The answer is that of one configuration.
func (r *Resolver) Resolve(host string) ([]string, error) {
	for range 8 {
		before := r.gen.Load()
		if before%2 != 0 {
			continue
		}
		addrs, err := r.read(host)
		if r.gen.Load() == before {
			return addrs, err
		}
	}
	r.changing.Lock()
	defer r.changing.Unlock()
	return r.read(host)
}

func (r *Resolver) read(host string) ([]string, error) {
	pool, ok := r.routes.Get(host)
	if !ok {
		return nil, fmt.Errorf("mesh: no route for %s", host)
	}
	addrs, ok := r.pools.Get(pool)
	if !ok {
		return nil, fmt.Errorf("mesh: no pool %s for %s", pool, host)
	}
	return addrs, nil
}
