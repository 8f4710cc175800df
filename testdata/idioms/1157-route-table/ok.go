// Correct: a table is never changed once it is stored. A reader loads the
// pointer once and asks the same table twice; writers load, copy and store
// under mu, which all of them hold.
package ok

import (
	"errors"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrNoRoute is returned for a host nobody serves.
var ErrNoRoute = errors.New("no route")

type table struct {
	rev    uint64
	routes map[string]string   // host -> service
	pools  map[string][]string // service -> addresses
}

func (t *table) clone() *table {
	return &table{rev: t.rev + 1, routes: maps.Clone(t.routes), pools: maps.Clone(t.pools)}
}

// Router finds the address for a request.
type Router struct {
	cur atomic.Pointer[table]
	mu  sync.Mutex
}

func NewRouter() *Router {
	r := &Router{}
	r.cur.Store(&table{routes: map[string]string{}, pools: map[string][]string{}})
	return r
}

// Pick returns an address for the client.
func (r *Router) Pick(host, client string) (string, error) {
	t := r.cur.Load()
	svc, ok := t.routes[host]
	if !ok {
		return "", ErrNoRoute
	}
	pool := t.pools[svc]
	if len(pool) == 0 {
		return "", ErrNoRoute
	}
	h := fnv.New32a()
	h.Write([]byte(client))
	return pool[int(h.Sum32()%uint32(len(pool)))], nil
}

// Revision is the number of the table in use.
func (r *Router) Revision() uint64 { return r.cur.Load().rev }

// Route sends a host to a service.
func (r *Router) Route(host, svc string, addrs []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.cur.Load().clone()
	next.routes[host] = svc
	next.pools[svc] = slices.Clone(addrs)
	r.cur.Store(next)
}

// AddBackend adds an address to a service.
func (r *Router) AddBackend(svc, addr string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.cur.Load()
	if slices.Contains(old.pools[svc], addr) {
		return false
	}
	next := old.clone()
	next.pools[svc] = append(slices.Clone(old.pools[svc]), addr)
	r.cur.Store(next)
	return true
}

// DropService removes a service and all that leads to it.
func (r *Router) DropService(svc string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.cur.Load().clone()
	delete(next.pools, svc)
	maps.DeleteFunc(next.routes, func(_, s string) bool { return s == svc })
	r.cur.Store(next)
}
