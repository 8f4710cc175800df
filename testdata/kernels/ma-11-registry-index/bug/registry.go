// Package registry is the in-process service registry of the mesh agent.
package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

var (
	ErrNoService = errors.New("registry: no such service")
	ErrUnhealthy = errors.New("registry: instance fails its health check")
)

// Instance is a running copy of a service.
type Instance struct {
	ID      string
	Service string
	Addr    string
	Zone    string
	Since   time.Time
}

// Probe checks an instance before it gets traffic.
type Probe func(ctx context.Context, in Instance) error

// Registry maps services to their instances.
type Registry struct {
	probe Probe

	mu        sync.RWMutex
	byService map[string][]string
	instances map[string]Instance
}

// New returns an empty registry.
func New(probe Probe) *Registry {
	return &Registry{
		probe:     probe,
		byService: make(map[string][]string),
		instances: make(map[string]Instance),
	}
}

func (r *Registry) link(service, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := r.byService[service]
	if !slices.Contains(ids, id) {
		r.byService[service] = append(ids, id)
	}
}

func (r *Registry) put(in Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	in.Since = time.Now()
	r.instances[in.ID] = in
}

func validate(in Instance) error {
	switch {
	case in.ID == "":
		return errors.New("registry: instance without id")
	case in.Service == "":
		return fmt.Errorf("registry: instance %s without service", in.ID)
	case in.Addr == "":
		return fmt.Errorf("registry: instance %s without address", in.ID)
	}
	return nil
}

// Register makes an instance known. An agent registers its instances once each.
func (r *Registry) Register(ctx context.Context, in Instance) error {
	if err := validate(in); err != nil {
		return err
	}
	if r.probe != nil {
		if err := r.probe(ctx, in); err != nil {
			return fmt.Errorf("%w: %s: %v", ErrUnhealthy, in.ID, err)
		}
	}
	r.link(in.Service, in.ID)
	r.put(in)
	return nil
}

// Deregister removes an instance.
func (r *Registry) Deregister(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	in, ok := r.instances[id]
	if !ok {
		return
	}
	delete(r.instances, id)
	ids := slices.DeleteFunc(r.byService[in.Service], func(have string) bool { return have == id })
	if len(ids) == 0 {
		delete(r.byService, in.Service)
		return
	}
	r.byService[in.Service] = ids
}

// Resolve returns the instances of a service, those of the zone first.
func (r *Registry) Resolve(service, zone string) ([]Instance, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	ids, ok := r.byService[service]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoService, service)
	}
	out := make([]Instance, 0, len(ids))
	for _, id := range ids {
		out = append(out, r.instances[id])
	}
	slices.SortStableFunc(out, func(a, b Instance) int {
		return rank(a, zone) - rank(b, zone)
	})
	return out, nil
}

func rank(in Instance, zone string) int {
	if in.Zone == zone {
		return 0
	}
	return 1
}

// Announce registers the instances of this host, several at a time.
func (r *Registry) Announce(ctx context.Context, local []Instance) error {
	errs := make([]error, len(local))
	var wg sync.WaitGroup
	for i, in := range local {
		wg.Go(func() { errs[i] = r.Register(ctx, in) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
