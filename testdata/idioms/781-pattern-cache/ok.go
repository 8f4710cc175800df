// Package patterns caches compiled match expressions of log filters.
package patterns

import (
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"
)

// Matcher is one compiled expression with its own hit counter. Every user
// of an expression shares one Matcher while it is cached.
type Matcher struct {
	re   *regexp.Regexp
	hits atomic.Int64
}

// Match reports whether line matches and counts it if so.
func (m *Matcher) Match(line string) bool {
	if !m.re.MatchString(line) {
		return false
	}
	m.hits.Add(1)
	return true
}

// Cache holds matchers by their source.
type Cache struct {
	limit int

	mu       sync.RWMutex
	matchers map[string]*Matcher
	order    []string
}

// New returns a cache of at most limit matchers.
func New(limit int) *Cache {
	if limit < 1 {
		limit = 1
	}
	return &Cache{limit: limit, matchers: make(map[string]*Matcher, limit)}
}

func (c *Cache) lookup(src string) (*Matcher, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	m, ok := c.matchers[src]
	return m, ok
}

// Get returns the matcher for src, compiling it on first use.
func (c *Cache) Get(src string) (*Matcher, error) {
	if m, ok := c.lookup(src); ok {
		return m, nil
	}
	re, err := regexp.Compile(src)
	if err != nil {
		return nil, fmt.Errorf("filter %q: %w", src, err)
	}
	return c.insert(src, &Matcher{re: re}), nil
}

func (c *Cache) insert(src string, m *Matcher) *Matcher {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cur, ok := c.matchers[src]; ok {
		return cur
	}
	if len(c.order) == c.limit {
		delete(c.matchers, c.order[0])
		c.order = append(c.order[:0], c.order[1:]...)
	}
	c.matchers[src] = m
	c.order = append(c.order, src)
	return m
}

// Hits returns the hit counts of the cached matchers.
func (c *Cache) Hits() map[string]int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make(map[string]int64, len(c.matchers))
	for src, m := range c.matchers {
		out[src] = m.hits.Load()
	}
	return out
}

// Filter returns the lines that match any of the expressions.
func (c *Cache) Filter(lines []string, exprs ...string) ([]string, error) {
	ms := make([]*Matcher, 0, len(exprs))
	for _, e := range exprs {
		m, err := c.Get(e)
		if err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	var out []string
	for _, l := range lines {
		for _, m := range ms {
			if m.Match(l) {
				out = append(out, l)
				break
			}
		}
	}
	return out, nil
}
