// Package a stores access policies and caches the parsed ones.
package a

import (
	"errors"
	"strings"
	"sync"
)

// Storage is the durable backend, safe for concurrent use.
type Storage interface {
	Get(key string) (raw string, ok bool, err error)
	Put(key, raw string) error
	Delete(key string) error
}

// Policy is a parsed policy. It is not modified after parsing.
type Policy struct {
	Name  string
	Paths map[string]string
}

var errSyntax = errors.New("policy: syntax error")

func parsePolicy(name, raw string) (*Policy, error) {
	p := &Policy{Name: name, Paths: make(map[string]string)}
	for _, line := range strings.Split(raw, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		path, capability, ok := strings.Cut(line, "=")
		if !ok {
			return nil, errSyntax
		}
		p.Paths[path] = capability
	}
	return p, nil
}

// policyCache is a bounded map of parsed policies.
type policyCache struct {
	mu  sync.Mutex
	max int
	m   map[string]*Policy
}

func (c *policyCache) Get(name string) (*Policy, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.m[name]
	return p, ok
}

func (c *policyCache) Add(p *Policy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.m) >= c.max {
		for k := range c.m {
			delete(c.m, k)
			break
		}
	}
	c.m[p.Name] = p
}

func (c *policyCache) Remove(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, name)
}

// PolicyStore is the only user of its storage prefix.
type PolicyStore struct {
	view       Storage
	cache      policyCache
	modifyLock sync.Mutex // keeps storage and cache in step
}

func NewPolicyStore(view Storage, size int) *PolicyStore {
	return &PolicyStore{
		view:  view,
		cache: policyCache{max: size, m: make(map[string]*Policy)},
	}
}

// SetPolicy creates or replaces a policy.
func (ps *PolicyStore) SetPolicy(name, raw string) error {
	p, err := parsePolicy(name, raw)
	if err != nil {
		return err
	}
	ps.modifyLock.Lock()
	defer ps.modifyLock.Unlock()
	if err := ps.view.Put(name, raw); err != nil {
		return err
	}
	ps.cache.Add(p)
	return nil
}

// DeletePolicy removes a policy.
func (ps *PolicyStore) DeletePolicy(name string) error {
	ps.modifyLock.Lock()
	defer ps.modifyLock.Unlock()
	if err := ps.view.Delete(name); err != nil {
		return err
	}
	ps.cache.Remove(name)
	return nil
}

// GetPolicy returns the policy, or nil if there is none.
func (ps *PolicyStore) GetPolicy(name string) (*Policy, error) {
	if p, ok := ps.cache.Get(name); ok {
		return p, nil
	}

	ps.modifyLock.Lock()
	defer ps.modifyLock.Unlock()
	if p, ok := ps.cache.Get(name); ok {
		return p, nil
	}

	raw, ok, err := ps.view.Get(name)
	if err != nil || !ok {
		return nil, err
	}
	p, err := parsePolicy(name, raw)
	if err != nil {
		return nil, err
	}
	ps.cache.Add(p)
	return p, nil
}

// Allowed reports whether the policy grants the capability on a path.
func (ps *PolicyStore) Allowed(name, path, capability string) (bool, error) {
	p, err := ps.GetPolicy(name)
	if err != nil || p == nil {
		return false, err
	}
	return p.Paths[path] == capability, nil
}
