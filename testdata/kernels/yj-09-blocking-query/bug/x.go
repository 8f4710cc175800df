// Package catalog is the service catalog with blocking queries.
package catalog

import (
	"context"
	"slices"
	"sync"
)

// Instance is one registered instance of a service.
type Instance struct {
	ID   string
	Addr string
	Tags []string
}

type service struct {
	instances []Instance
	index     uint64
}

// Catalog holds the services of a datacenter.
type Catalog struct {
	mu       sync.RWMutex
	index    uint64
	services map[string]*service
	watches  map[string]chan struct{}
}

// New returns an empty catalog.
func New() *Catalog {
	return &Catalog{
		services: make(map[string]*service),
		watches:  make(map[string]chan struct{}),
	}
}

// Register adds an instance or replaces the one with the same ID.
func (c *Catalog) Register(name string, in Instance) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.services[name]
	if s == nil {
		s = &service{}
		c.services[name] = s
	}
	i := slices.IndexFunc(s.instances, func(x Instance) bool { return x.ID == in.ID })
	if i >= 0 {
		s.instances[i] = in
	} else {
		s.instances = append(s.instances, in)
	}
	return c.touch(name, s)
}

// Deregister removes an instance. The service itself stays, so that its index
// never goes back.
func (c *Catalog) Deregister(name, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.services[name]
	if s == nil {
		return
	}
	n := len(s.instances)
	s.instances = slices.DeleteFunc(s.instances, func(x Instance) bool { return x.ID == id })
	if len(s.instances) != n {
		c.touch(name, s)
	}
}

// touch moves the index of a service and wakes its watchers.
func (c *Catalog) touch(name string, s *service) uint64 {
	c.index++
	s.index = c.index
	if ch, ok := c.watches[name]; ok {
		close(ch)
		delete(c.watches, name)
	}
	return s.index
}

func (c *Catalog) get(name string) ([]Instance, uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s := c.services[name]
	if s == nil {
		return nil, 0
	}
	return slices.Clone(s.instances), s.index
}

// watch returns a channel that is closed when the service changes.
func (c *Catalog) watch(name string) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch, ok := c.watches[name]
	if !ok {
		ch = make(chan struct{})
		c.watches[name] = ch
	}
	return ch
}

// Query returns the instances of a service as soon as its index is past
// minIndex. Clients pass the index of their last answer.
func (c *Catalog) Query(ctx context.Context, name string, minIndex uint64) ([]Instance, uint64, error) {
	for {
		instances, index := c.get(name)
		if index > minIndex {
			return instances, index, nil
		}
		changed := c.watch(name)
		select {
		case <-changed:
		case <-ctx.Done():
			return instances, index, ctx.Err()
		}
	}
}

// Follow calls fn with every answer until ctx ends.
func (c *Catalog) Follow(ctx context.Context, name string, fn func([]Instance)) error {
	var last uint64
	for {
		instances, index, err := c.Query(ctx, name, last)
		if err != nil {
			return err
		}
		last = index
		fn(instances)
	}
}
