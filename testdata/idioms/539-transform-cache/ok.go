// Package ok caches the results of a pure function.
package ok

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type entry struct {
	used atomic.Int64
	out  string
}

// Cache remembers fn for the strings that were seen lately.
type Cache struct {
	fn    func(string) string
	m     sync.Map
	swept atomic.Int64
	calls atomic.Uint64
	miss  atomic.Uint64
	now   func() time.Time
}

// New returns a cache of fn, which must depend on its argument only.
func New(fn func(string) string) *Cache {
	c := &Cache{fn: fn, now: time.Now}
	c.swept.Store(c.now().Unix())
	return c
}

// Do returns fn(s).
func (c *Cache) Do(s string) string {
	c.calls.Add(1)
	now := c.now().Unix()
	if v, ok := c.m.Load(s); ok {
		e := v.(*entry)
		if e.used.Load()+10 < now {
			e.used.Store(now)
		}
		return e.out
	}
	c.miss.Add(1)
	out := c.fn(s)
	if out == s {
		out = strings.Clone(out)
	}
	e := &entry{out: out}
	e.used.Store(now)
	c.m.Store(strings.Clone(s), e)

	if c.mustSweep(now) {
		c.sweep(now)
	}
	return out
}

func (c *Cache) mustSweep(now int64) bool {
	last := c.swept.Load()
	if last+61 >= now {
		return false
	}
	return c.swept.CompareAndSwap(last, now)
}

func (c *Cache) sweep(now int64) {
	c.m.Range(func(k, v any) bool {
		if v.(*entry).used.Load()+300 < now {
			c.m.Delete(k)
		}
		return true
	})
}

// Stats returns the number of calls and misses so far; the two may be of
// slightly different moments.
func (c *Cache) Stats() (calls, miss uint64) {
	return c.calls.Load(), c.miss.Load()
}
