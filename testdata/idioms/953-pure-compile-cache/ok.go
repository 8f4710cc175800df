// Package route matches request paths against the patterns of an RPC gateway.
package route

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// ErrPattern is returned for a malformed pattern.
var ErrPattern = errors.New("route: malformed pattern")

// matcher is a compiled pattern. It does not change.
type matcher struct {
	parts []part
	tail  bool // ends in "**"
}

type part struct {
	literal string
	param   string // of "{name}"
}

// compile parses a pattern such as "/v1/{project}/jobs/**".
func compile(pattern string) (*matcher, error) {
	rest, ok := strings.CutPrefix(pattern, "/")
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrPattern, pattern)
	}
	m := &matcher{}
	for seg := range strings.SplitSeq(rest, "/") {
		switch {
		case m.tail:
			return nil, fmt.Errorf("%w: %q", ErrPattern, pattern)
		case seg == "**":
			m.tail = true
		case strings.HasPrefix(seg, "{") && strings.HasSuffix(seg, "}"):
			m.parts = append(m.parts, part{param: seg[1 : len(seg)-1]})
		default:
			m.parts = append(m.parts, part{literal: seg})
		}
	}
	return m, nil
}

// match returns the parameters of a path.
func (m *matcher) match(path string) (map[string]string, bool) {
	segs := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(segs) < len(m.parts) || len(segs) > len(m.parts) && !m.tail {
		return nil, false
	}
	params := make(map[string]string)
	for i, p := range m.parts {
		if p.param != "" {
			params[p.param] = segs[i]
		} else if p.literal != segs[i] {
			return nil, false
		}
	}
	return params, true
}

// Cache compiles patterns and keeps the results. It is safe for concurrent
// use.
type Cache struct {
	limit int

	mu       sync.RWMutex
	compiled map[string]*matcher
}

// NewCache returns a cache that keeps up to limit patterns.
func NewCache(limit int) *Cache {
	return &Cache{limit: max(limit, 1), compiled: make(map[string]*matcher)}
}

// Match matches path against pattern.
func (c *Cache) Match(pattern, path string) (params map[string]string, ok bool, err error) {
	m, err := c.get(pattern)
	if err != nil {
		return nil, false, err
	}
	params, ok = m.match(path)
	return params, ok, nil
}

func (c *Cache) get(pattern string) (*matcher, error) {
	if m := c.lookup(pattern); m != nil {
		return m, nil
	}
	m, err := compile(pattern)
	if err != nil {
		return nil, err
	}
	c.keep(pattern, m)
	return m, nil
}

func (c *Cache) lookup(pattern string) *matcher {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.compiled[pattern]
}

// keep stores a compiled pattern. A full cache is emptied first.
func (c *Cache) keep(pattern string, m *matcher) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.compiled) >= c.limit {
		clear(c.compiled)
	}
	c.compiled[pattern] = m
}

// Len returns the number of patterns kept.
func (c *Cache) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.compiled)
}

// Table maps patterns to service methods. It is set up once.
type Table struct {
	cache  *Cache
	routes []Route
}

// Route is one line of a Table.
type Route struct {
	Pattern string
	Method  string
}

// NewTable returns a table of routes. The first match wins.
func NewTable(cache *Cache, routes []Route) *Table {
	return &Table{cache: cache, routes: append([]Route(nil), routes...)}
}

// Resolve returns the method for a path.
func (t *Table) Resolve(path string) (method string, params map[string]string, err error) {
	for _, r := range t.routes {
		params, ok, err := t.cache.Match(r.Pattern, path)
		if err != nil {
			return "", nil, err
		}
		if ok {
			return r.Method, params, nil
		}
	}
	return "", nil, nil
}
