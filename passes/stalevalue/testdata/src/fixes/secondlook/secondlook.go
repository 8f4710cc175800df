// Package secondlook checks again under the lock of the act.
package secondlook

import "sync"

type Cache struct {
	rw sync.RWMutex
	mu sync.Mutex
	m  map[string]*int
	n  int
}

func (c *Cache) Get(k string, load func(string) *int) *int {
	c.rw.RLock()
	v, ok := c.m[k]
	c.rw.RUnlock()
	if ok {
		return v
	}
	v = load(k)
	c.rw.Lock()
	c.m[k] = v // want `check-then-act`
	c.rw.Unlock()
	return v
}

func (c *Cache) Deferred(k string, load func(string) *int) *int {
	c.rw.RLock()
	v := c.m[k]
	c.rw.RUnlock()
	if v != nil {
		return v
	}
	v = load(k)
	c.rw.Lock()
	defer c.rw.Unlock()
	c.m[k] = v // want `check-then-act`
	return v
}

func (c *Cache) Ensure(k string, load func(string) *int) {
	c.rw.RLock()
	_, ok := c.m[k]
	c.rw.RUnlock()
	if !ok {
		v := load(k)
		c.rw.Lock()
		c.m[k] = v // want `check-then-act`
		c.rw.Unlock()
	}
}

// What follows has no fix.

func (c *Cache) uses(k string, load func(string) *int) *int {
	c.rw.RLock()
	v, ok := c.m[k]
	c.rw.RUnlock()
	if !ok {
		v = load(k)
		c.rw.Lock()
		c.m[k] = v // want `check-then-act`
		c.rw.Unlock()
	}
	return v
}

func (c *Cache) changes(k string, load func(string) *int) *int {
	c.rw.RLock()
	v, ok := c.m[k]
	c.rw.RUnlock()
	if ok {
		return v
	}
	k += "'"
	v = load(k)
	c.rw.Lock()
	c.m[k] = v
	c.rw.Unlock()
	return v
}

func (c *Cache) logs(k string, load func(string) *int, log func(string)) *int {
	c.rw.RLock()
	v, ok := c.m[k]
	c.rw.RUnlock()
	if ok {
		log(k)
		return v
	}
	v = load(k)
	c.rw.Lock()
	c.m[k] = v // want `check-then-act`
	c.rw.Unlock()
	return v
}

func (c *Cache) underLock(k string, load func(string) *int, show func(*int) *int) *int {
	c.rw.RLock()
	v, ok := c.m[k]
	c.rw.RUnlock()
	if ok {
		return show(v)
	}
	v = load(k)
	c.rw.Lock()
	defer c.rw.Unlock()
	c.m[k] = v // want `check-then-act`
	return v
}

func (c *Cache) breaks(keys []string, load func(string) *int, kind int) {
	for _, k := range keys {
		c.rw.RLock()
		_, ok := c.m[k]
		c.rw.RUnlock()
		if ok {
			break
		}
		v := load(k)
		switch kind {
		case 1:
			c.rw.Lock()
			c.m[k] = v // want `check-then-act`
			c.rw.Unlock()
		}
	}
}
