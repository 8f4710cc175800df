// Package front is the request router of an edge server whose configuration is
// replaced while it serves.
package front

import (
	"fmt"
	"net/http"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// Route sends the requests below a path prefix to a handler.
type Route struct {
	Prefix  string
	Handler http.Handler
}

// Config is a complete configuration.
type Config struct {
	Routes   []Route
	Fallback http.Handler
}

// table is the routing table of one configuration. Its lock is for the
// counters, which requests update as long as the table is in use.
type table struct {
	version uint64

	mu       sync.Mutex
	routes   map[string]http.Handler
	fallback http.Handler
	hits     map[string]uint64
}

func newTable(version uint64) *table {
	return &table{
		version:  version,
		routes:   make(map[string]http.Handler),
		fallback: http.NotFoundHandler(),
		hits:     make(map[string]uint64),
	}
}

func (t *table) has(prefix string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.routes[prefix]
	return ok
}

func (t *table) add(prefix string, h http.Handler) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.routes[prefix] = h
}

func (t *table) setFallback(h http.Handler) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fallback = h
}

// match returns the handler of the longest prefix of path and counts the hit.
func (t *table) match(path string) http.Handler {
	t.mu.Lock()
	defer t.mu.Unlock()
	for p := path; p != ""; p = parent(p) {
		if h, ok := t.routes[p]; ok {
			t.hits[p]++
			return h
		}
	}
	return t.fallback
}

// parent returns the path without its last element.
func parent(path string) string {
	path = strings.TrimSuffix(path, "/")
	return path[:strings.LastIndexByte(path, '/')+1]
}

// report returns the counters as lines, in order.
func (t *table) report() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := make([]string, 0, len(t.hits))
	for prefix, n := range t.hits {
		lines = append(lines, fmt.Sprintf("v%d %s %d", t.version, prefix, n))
	}
	sort.Strings(lines)
	return lines
}

// Router is an http.Handler. All methods are safe for concurrent use.
type Router struct {
	reloading sync.Mutex // one Reload at a time
	current   atomic.Pointer[table]
}

// NewRouter returns a router that knows no routes.
func NewRouter() *Router {
	r := &Router{}
	r.current.Store(newTable(0))
	return r
}

// ServeHTTP passes a request to the handler of its route.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.current.Load().match(req.URL.Path).ServeHTTP(w, req)
}

// Reload replaces the configuration and returns its version. The previous one
// stays in use when the new one is not valid.
func (r *Router) Reload(cfg Config) (uint64, error) {
	r.reloading.Lock()
	defer r.reloading.Unlock()
	next := newTable(r.current.Load().version + 1)
	for _, route := range cfg.Routes {
		if !strings.HasPrefix(route.Prefix, "/") {
			return 0, fmt.Errorf("front: route %q is not absolute", route.Prefix)
		}
		if next.has(route.Prefix) {
			return 0, fmt.Errorf("front: route %q is given twice", route.Prefix)
		}
		next.add(route.Prefix, route.Handler)
	}
	if cfg.Fallback != nil {
		next.setFallback(cfg.Fallback)
	}
	r.current.Store(next)
	return next.version, nil
}

// Report describes the traffic of the current configuration.
func (r *Router) Report() []string {
	return r.current.Load().report()
}
