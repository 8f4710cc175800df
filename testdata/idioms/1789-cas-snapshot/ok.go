// Package a is the routing table of a webhook relay: which endpoints get which
// kind of event.
package a

import (
	"maps"
	"slices"
	"sync/atomic"
)

// routes is one version of the table. A version is never changed after it has
// been stored.
type routes struct {
	version uint64
	byKind  map[string][]string // kind -> endpoint URLs, sorted
}

// with returns the next version, with the endpoints of kind replaced.
func (r *routes) with(kind string, urls []string) *routes {
	next := &routes{version: r.version + 1, byKind: maps.Clone(r.byKind)}
	if len(urls) == 0 {
		delete(next.byKind, kind)
	} else {
		next.byKind[kind] = urls
	}
	return next
}

// Router is read for every event and changed a few times a day.
type Router struct {
	cur atomic.Pointer[routes]
}

// NewRouter returns a router without endpoints.
func NewRouter() *Router {
	r := &Router{}
	r.cur.Store(&routes{byKind: map[string][]string{}})
	return r
}

// Subscribe adds an endpoint for kind and reports whether it is new.
func (r *Router) Subscribe(kind, url string) bool {
	for {
		old := r.cur.Load()
		urls := old.byKind[kind]
		i, found := slices.BinarySearch(urls, url)
		if found {
			return false
		}
		next := old.with(kind, slices.Insert(slices.Clone(urls), i, url))
		if r.cur.CompareAndSwap(old, next) {
			return true
		}
	}
}

// Unsubscribe removes an endpoint and reports whether it was there.
func (r *Router) Unsubscribe(kind, url string) bool {
	for {
		old := r.cur.Load()
		urls := old.byKind[kind]
		i, found := slices.BinarySearch(urls, url)
		if !found {
			return false
		}
		next := old.with(kind, slices.Delete(slices.Clone(urls), i, i+1))
		if r.cur.CompareAndSwap(old, next) {
			return true
		}
	}
}

// Targets returns the endpoints for an event of the given kind.
func (r *Router) Targets(kind string) []string {
	return slices.Clone(r.cur.Load().byKind[kind])
}

// Stats returns the version of the table and the number of kinds in it.
func (r *Router) Stats() (version uint64, kinds int) {
	cur := r.cur.Load()
	return cur.version, len(cur.byKind)
}
