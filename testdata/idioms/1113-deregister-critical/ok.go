// Correct: the reaper collects candidates in one critical section and removes
// each in another, but the second section looks at the check's state and time
// again before it removes.

// Package ok is a service catalog with health checks.
package ok

import (
	"slices"
	"sync"
	"time"
)

type Status string

const (
	Passing  Status = "passing"
	Critical Status = "critical"
)

type service struct {
	name   string
	addr   string
	status Status
	since  time.Time
}

type Catalog struct {
	grace time.Duration

	mu       sync.Mutex
	services map[string]*service
	byName   map[string][]string
}

func New(grace time.Duration) *Catalog {
	return &Catalog{
		grace:    grace,
		services: make(map[string]*service),
		byName:   make(map[string][]string),
	}
}

// Register adds a service; it stays critical until its first report.
func (c *Catalog) Register(id, name, addr string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.services[id]; ok {
		return false
	}
	c.services[id] = &service{name: name, addr: addr, status: Critical, since: time.Now()}
	c.byName[name] = append(c.byName[name], id)
	return true
}

// Report records the result of a health check.
func (c *Catalog) Report(id string, s Status) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	svc, ok := c.services[id]
	if !ok {
		return false
	}
	if svc.status != s {
		svc.status, svc.since = s, time.Now()
	}
	return true
}

// Reap removes the services that have been critical for too long.
func (c *Catalog) Reap() int {
	n := 0
	for _, id := range c.candidates() {
		if c.removeIfDead(id) {
			n++
		}
	}
	return n
}

func (c *Catalog) candidates() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for id, s := range c.services {
		if c.dead(s) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

func (c *Catalog) dead(s *service) bool {
	return s.status == Critical && time.Since(s.since) > c.grace
}

func (c *Catalog) removeIfDead(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.services[id]
	if !ok || !c.dead(s) {
		return false
	}
	delete(c.services, id)
	ids := slices.DeleteFunc(c.byName[s.name], func(x string) bool { return x == id })
	if len(ids) == 0 {
		delete(c.byName, s.name)
	} else {
		c.byName[s.name] = ids
	}
	return true
}

// Healthy returns the addresses of a service's passing instances.
func (c *Catalog) Healthy(name string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, id := range c.byName[name] {
		if s := c.services[id]; s.status == Passing {
			out = append(out, s.addr)
		}
	}
	return out
}
