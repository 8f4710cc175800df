// Package route maps path prefixes to upstream services.
package route

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// Rule is one line of the configuration.
type Rule struct {
	Prefix   string
	Upstream string
}

type table struct {
	mu     sync.Mutex
	routes map[string]string
	order  []string // prefixes, longest first
	hits   map[string]int
}

func newTable() *table {
	return &table{routes: make(map[string]string), hits: make(map[string]int)}
}

func (t *table) has(prefix string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.routes[prefix]
	return ok
}

func (t *table) add(prefix, upstream string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.routes[prefix] = upstream
	t.order = append(t.order, prefix)
}

func (t *table) arrange() {
	t.mu.Lock()
	defer t.mu.Unlock()
	sort.SliceStable(t.order, func(i, j int) bool {
		return len(t.order[i]) > len(t.order[j])
	})
}

func (t *table) match(path string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.order {
		if strings.HasPrefix(path, p) {
			t.hits[p]++
			return t.routes[p], true
		}
	}
	return "", false
}

func (t *table) stats() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make(map[string]int, len(t.hits))
	for p, n := range t.hits {
		out[p] = n
	}
	return out
}

func build(rules []Rule) (*table, error) {
	t := newTable()
	for _, r := range rules {
		prefix := "/" + strings.Trim(r.Prefix, "/")
		if t.has(prefix) {
			return nil, fmt.Errorf("route: %s is configured twice", prefix)
		}
		t.add(prefix, r.Upstream)
	}
	if !t.has("/") {
		t.add("/", "default")
	}
	t.arrange()
	return t, nil
}

// Router answers with the table of the last good configuration.
type Router struct {
	current atomic.Pointer[table]
}

func NewRouter(rules []Rule) (*Router, error) {
	r := &Router{}
	if err := r.Reload(rules); err != nil {
		return nil, err
	}
	return r, nil
}

// Reload takes over new rules; the hits start again from zero.
func (r *Router) Reload(rules []Rule) error {
	t, err := build(rules)
	if err != nil {
		return err
	}
	r.current.Store(t)
	return nil
}

// Upstream returns the service for the path.
func (r *Router) Upstream(path string) (string, bool) { return r.current.Load().match(path) }

// Hits reports how often each prefix was used since the last reload.
func (r *Router) Hits() map[string]int { return r.current.Load().stats() }
