// Package a is a routing table that is read on every request.
package a

import (
	"maps"
	"sync/atomic"
)

// table is never modified after it was published.
type table struct {
	version uint64
	routes  map[string]string
}

// with returns a copy of t with one route set.
func (t *table) with(host, backend string) *table {
	n := &table{version: t.version + 1, routes: maps.Clone(t.routes)}
	n.routes[host] = backend
	return n
}

// without returns a copy of t with one route removed.
func (t *table) without(host string) *table {
	n := &table{version: t.version + 1, routes: maps.Clone(t.routes)}
	delete(n.routes, host)
	return n
}

// Router maps hosts to backends.
type Router struct {
	cur atomic.Pointer[table]
}

func NewRouter() *Router {
	r := &Router{}
	r.cur.Store(&table{routes: make(map[string]string)})
	return r
}

// Lookup returns the backend of a host.
func (r *Router) Lookup(host string) (string, bool) {
	b, ok := r.cur.Load().routes[host]
	return b, ok
}

// Version counts the changes.
func (r *Router) Version() uint64 { return r.cur.Load().version }

// Set adds or replaces a route.
func (r *Router) Set(host, backend string) {
	for {
		old := r.cur.Load()
		if r.cur.CompareAndSwap(old, old.with(host, backend)) {
			return
		}
	}
}

// Remove drops a route and reports whether it was there.
func (r *Router) Remove(host string) bool {
	for {
		old := r.cur.Load()
		if _, ok := old.routes[host]; !ok {
			return false
		}
		if r.cur.CompareAndSwap(old, old.without(host)) {
			return true
		}
	}
}
