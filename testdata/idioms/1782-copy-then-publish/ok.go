// Package a is the routing table of a reverse proxy.
package a

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	ErrNoRoute  = errors.New("route: no such host")
	ErrExists   = errors.New("route: host has a route")
	ErrBadRoute = errors.New("route: invalid")
)

// Route says where the requests of a host go.
type Route struct {
	Host    string
	Backend string
	Weight  int
}

// table is not changed after it was published.
type table struct {
	version uint64
	exact   map[string]Route
	suffix  map[string]Route // hosts that begin with "*."
}

// Router looks up routes without a lock.
type Router struct {
	current atomic.Pointer[table]
	writers sync.Mutex

	lookups atomic.Uint64
	misses  atomic.Uint64
}

// NewRouter returns a router without routes.
func NewRouter() *Router {
	r := &Router{}
	r.current.Store(&table{exact: map[string]Route{}, suffix: map[string]Route{}})
	return r
}

// edit publishes a changed copy of the table, unless change fails.
func (r *Router) edit(change func(t *table) error) error {
	r.writers.Lock()
	defer r.writers.Unlock()
	old := r.current.Load()
	next := &table{
		version: old.version + 1,
		exact:   maps.Clone(old.exact),
		suffix:  maps.Clone(old.suffix),
	}
	if err := change(next); err != nil {
		return err
	}
	r.current.Store(next)
	return nil
}

// section is the map in which the host belongs.
func (t *table) section(host string) (map[string]Route, string) {
	if rest, ok := strings.CutPrefix(host, "*."); ok {
		return t.suffix, rest
	}
	return t.exact, host
}

// Add installs a route for a host that has none.
func (r *Router) Add(rt Route) error {
	if rt.Host == "" || rt.Backend == "" {
		return ErrBadRoute
	}
	err := r.edit(func(t *table) error {
		m, key := t.section(rt.Host)
		if _, ok := m[key]; ok {
			return fmt.Errorf("%w: %s", ErrExists, rt.Host)
		}
		m[key] = rt
		return nil
	})
	if err == nil {
		log.Printf("route: %s -> %s", rt.Host, rt.Backend)
	}
	return err
}

// SetWeight changes the weight of a route.
func (r *Router) SetWeight(host string, weight int) error {
	return r.edit(func(t *table) error {
		m, key := t.section(host)
		rt, ok := m[key]
		if !ok {
			return ErrNoRoute
		}
		rt.Weight = weight
		m[key] = rt
		return nil
	})
}

// Remove takes the route of a host out.
func (r *Router) Remove(host string) error {
	return r.edit(func(t *table) error {
		m, key := t.section(host)
		if _, ok := m[key]; !ok {
			return ErrNoRoute
		}
		delete(m, key)
		return nil
	})
}

// Lookup finds the route of a request.
func (r *Router) Lookup(host string) (Route, error) {
	r.lookups.Add(1)
	t := r.current.Load()
	if rt, ok := t.exact[host]; ok {
		return rt, nil
	}
	for rest := host; ; {
		i := strings.IndexByte(rest, '.')
		if i < 0 {
			r.misses.Add(1)
			return Route{}, ErrNoRoute
		}
		rest = rest[i+1:]
		if rt, ok := t.suffix[rest]; ok {
			return rt, nil
		}
	}
}

// Version and size of the table, for the status page.
func (r *Router) Version() (version uint64, routes int) {
	t := r.current.Load()
	return t.version, len(t.exact) + len(t.suffix)
}
