// Package routetable routes requests by host and path prefix, with routes that
// may be changed at any time.
package routetable

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrConflict is returned for a route that exists.
var ErrConflict = errors.New("routetable: route exists")

type route struct {
	prefix  string
	backend string
}

// table is not modified once it is published.
type table struct {
	version  uint64
	hosts    map[string][]route // longest prefix first
	backends map[string]http.Handler
}

func (t *table) clone() *table {
	return &table{
		version:  t.version + 1,
		hosts:    maps.Clone(t.hosts),
		backends: maps.Clone(t.backends),
	}
}

func (t *table) match(host, path string) (http.Handler, bool) {
	for _, r := range t.hosts[host] {
		if strings.HasPrefix(path, r.prefix) {
			return t.backends[r.backend], true
		}
	}
	return nil, false
}

// Router is an http.Handler.
type Router struct {
	mu      sync.Mutex // held to replace current
	current atomic.Pointer[table]
}

// NewRouter returns a router without routes.
func NewRouter() *Router {
	r := new(Router)
	r.current.Store(&table{hosts: map[string][]route{}, backends: map[string]http.Handler{}})
	return r
}

// Add routes the requests to host below prefix to the named backend.
func (r *Router) Add(host, prefix, backend string, h http.Handler) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.current.Load()
	for _, rt := range old.hosts[host] {
		if rt.prefix == prefix {
			return ErrConflict
		}
	}
	next := old.clone()
	routes := append(slices.Clone(old.hosts[host]), route{prefix, backend})
	slices.SortFunc(routes, func(a, b route) int { return len(b.prefix) - len(a.prefix) })
	next.hosts[host] = routes
	next.backends[backend] = h
	r.current.Store(next)
	return nil
}

// RemoveBackend drops a backend and the routes that lead to it.
func (r *Router) RemoveBackend(backend string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.current.Load()
	if _, ok := old.backends[backend]; !ok {
		return false
	}
	next := old.clone()
	delete(next.backends, backend)
	for host, routes := range old.hosts {
		next.hosts[host] = slices.DeleteFunc(slices.Clone(routes), func(rt route) bool {
			return rt.backend == backend
		})
	}
	r.current.Store(next)
	return true
}

// ServeHTTP implements http.Handler.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	h, ok := r.current.Load().match(req.Host, req.URL.Path)
	if !ok {
		http.NotFound(w, req)
		return
	}
	h.ServeHTTP(w, req)
}

// Describe writes the routes of all hosts as JSON.
func (r *Router) Describe(w http.ResponseWriter, _ *http.Request) {
	t := r.current.Load()
	out := struct {
		Version  uint64              `json:"version"`
		Backends int                 `json:"backends"`
		Routes   map[string][]string `json:"routes"`
	}{t.version, len(t.backends), make(map[string][]string)}
	for host, routes := range t.hosts {
		for _, rt := range routes {
			out.Routes[host] = append(out.Routes[host], rt.prefix+" "+rt.backend)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}
