// Package ok is a cache whose entries go out of date.
package ok

import (
	"sync"
	"time"
)

type table struct {
	mu sync.RWMutex
	m  map[string]any
}

func (t *table) add(k string, v any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v
}

func (t *table) get(k string) (any, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	v, ok := t.m[k]
	return v, ok
}

func (t *table) remove(k string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.m, k)
}

func (t *table) keys() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	ks := make([]string, 0, len(t.m))
	for k := range t.m {
		ks = append(ks, k)
	}
	return ks
}

func (t *table) replace(m map[string]any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m = m
}

type stamped struct {
	obj   any
	since time.Time
}

// Policy decides what is out of date.
type Policy interface {
	Expired(obj any, since time.Time) bool
}

// TTL is a policy by age.
type TTL time.Duration

// Expired implements Policy.
func (d TTL) Expired(_ any, since time.Time) bool {
	return d > 0 && time.Since(since) > time.Duration(d)
}

// Cache forgets entries when they are read and found out of date.
type Cache struct {
	table  *table
	key    func(obj any) (string, error)
	policy Policy

	expireMu sync.Mutex
}

// New returns an empty cache.
func New(key func(any) (string, error), p Policy) *Cache {
	return &Cache{table: &table{m: make(map[string]any)}, key: key, policy: p}
}

func (c *Cache) stamped(k string) (*stamped, bool) {
	v, _ := c.table.get(k)
	s, ok := v.(*stamped)
	return s, ok
}

func (c *Cache) getOrExpire(k string) (any, bool) {
	c.expireMu.Lock()
	defer c.expireMu.Unlock()
	s, ok := c.stamped(k)
	if !ok {
		return nil, false
	}
	if c.policy.Expired(s.obj, s.since) {
		c.table.remove(k)
		return nil, false
	}
	return s.obj, true
}

// Get returns the entry of a key.
func (c *Cache) Get(k string) (any, bool) { return c.getOrExpire(k) }

// GetLike returns the entry with the key of obj.
func (c *Cache) GetLike(obj any) (any, bool, error) {
	k, err := c.key(obj)
	if err != nil {
		return nil, false, err
	}
	v, ok := c.getOrExpire(k)
	return v, ok, nil
}

// List returns the entries that are up to date. An entry that comes or goes
// during the call may be in it or not.
func (c *Cache) List() []any {
	ks := c.table.keys()
	list := make([]any, 0, len(ks))
	for _, k := range ks {
		if v, ok := c.getOrExpire(k); ok {
			list = append(list, v)
		}
	}
	return list
}

// Add stores an entry.
func (c *Cache) Add(obj any) error {
	k, err := c.key(obj)
	if err != nil {
		return err
	}
	c.expireMu.Lock()
	defer c.expireMu.Unlock()
	c.table.add(k, &stamped{obj, time.Now()})
	return nil
}

// Delete removes an entry.
func (c *Cache) Delete(obj any) error {
	k, err := c.key(obj)
	if err != nil {
		return err
	}
	c.expireMu.Lock()
	defer c.expireMu.Unlock()
	c.table.remove(k)
	return nil
}

// Replace puts a list into the place of all entries.
func (c *Cache) Replace(list []any) error {
	m := make(map[string]any, len(list))
	now := time.Now()
	for _, obj := range list {
		k, err := c.key(obj)
		if err != nil {
			return err
		}
		m[k] = &stamped{obj, now}
	}
	c.expireMu.Lock()
	defer c.expireMu.Unlock()
	c.table.replace(m)
	return nil
}
