package bug

import (
	"sort"
	"sync"
)

type Instance struct {
	ID   string
	Addr string
	Tags []string
}

type service struct {
	mu        sync.Mutex
	name      string
	index     uint64
	instances map[string]Instance
}

// put adds or replaces an instance.
func (s *service) put(in Instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instances[in.ID] = in
	s.index++
}

// remove takes an instance out and returns how many are left.
func (s *service) remove(id string) (left int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok = s.instances[id]; ok {
		delete(s.instances, id)
		s.index++
	}
	return len(s.instances), ok
}

func (s *service) list() []Instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Instance, 0, len(s.instances))
	for _, in := range s.instances {
		out = append(out, in)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// Catalog knows the services of a datacenter and their instances.
type Catalog struct {
	mu       sync.RWMutex
	services map[string]*service
}

func NewCatalog() *Catalog {
	return &Catalog{services: make(map[string]*service)}
}

func (c *Catalog) find(name string) (*service, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s, ok := c.services[name]
	return s, ok
}

func (c *Catalog) open(name string) *service {
	if s, ok := c.find(name); ok {
		return s
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.services[name]; ok {
		return s
	}
	s := &service{name: name, instances: make(map[string]Instance)}
	c.services[name] = s
	return s
}

// drop forgets a service that has no instances.
func (c *Catalog) drop(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.services[name]
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.instances) > 0 {
		return
	}
	delete(c.services, name)
}

// Register adds an instance to a service, making the service if need be.
func (c *Catalog) Register(name string, in Instance) {
	c.open(name).put(in)
}

// Deregister takes an instance out of a service.
func (c *Catalog) Deregister(name, id string) bool {
	s, ok := c.find(name)
	if !ok {
		return false
	}
	left, removed := s.remove(id)
	if left == 0 {
		c.drop(name)
	}
	return removed
}

// Instances lists the instances of a service by ID.
func (c *Catalog) Instances(name string) []Instance {
	if s, ok := c.find(name); ok {
		return s.list()
	}
	return nil
}

// Services lists the names of all services.
func (c *Catalog) Services() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	names := make([]string, 0, len(c.services))
	for n := range c.services {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
