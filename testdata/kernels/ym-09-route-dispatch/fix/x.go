// Package fix routes requests of a gateway. The routing table is built anew
// with every configuration and put in place while requests run.
package fix

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

var ErrNoRoute = errors.New("gateway: no route")

type Rule struct {
	Host    string
	Service string
	Strip   string
}

type Config struct {
	Rules    []Rule
	Services map[string][]string
}

type route struct {
	host  string
	strip string
	pool  int
}

type pool struct {
	service string
	addrs   []string
	turn    atomic.Uint32
}

func (p *pool) next() string {
	return p.addrs[int(p.turn.Add(1))%len(p.addrs)]
}

type table struct {
	routes map[string]route
	pools  []*pool
}

func build(cfg Config) (*table, error) {
	t := &table{routes: make(map[string]route)}
	index := make(map[string]int)
	for _, r := range cfg.Rules {
		i, ok := index[r.Service]
		if !ok {
			addrs := cfg.Services[r.Service]
			if len(addrs) == 0 {
				return nil, fmt.Errorf("gateway: service %q has no servers", r.Service)
			}
			i = len(t.pools)
			index[r.Service] = i
			t.pools = append(t.pools, &pool{service: r.Service, addrs: slices.Clone(addrs)})
		}
		t.routes[r.Host] = route{host: r.Host, strip: r.Strip, pool: i}
	}
	return t, nil
}

func (t *table) find(host string) (route, bool) {
	r, ok := t.routes[host]
	if !ok {
		r, ok = t.routes["*"]
	}
	return r, ok
}

type Target struct {
	Addr  string
	Strip string
}

type Router struct {
	reload sync.Mutex
	table  atomic.Pointer[table]
	hits   atomic.Uint64
	misses atomic.Uint64
}

func NewRouter() *Router {
	r := &Router{}
	r.table.Store(&table{})
	return r
}

// Apply puts a new configuration in place.
func (r *Router) Apply(cfg Config) error {
	r.reload.Lock()
	defer r.reload.Unlock()
	t, err := build(cfg)
	if err != nil {
		return err
	}
	r.table.Store(t)
	return nil
}

func (r *Router) match(t *table, host string) (route, bool) {
	rt, ok := t.find(host)
	if !ok {
		r.misses.Add(1)
		return route{}, false
	}
	r.hits.Add(1)
	return rt, true
}

// Dispatch chooses the server for a request.
func (r *Router) Dispatch(host string) (Target, error) {
	t := r.table.Load()
	rt, ok := r.match(t, host)
	if !ok {
		return Target{}, ErrNoRoute
	}
	p := t.pools[rt.pool]
	return Target{Addr: p.next(), Strip: rt.strip}, nil
}

// Stats returns how many requests had a route and how many had none.
func (r *Router) Stats() (hits, misses uint64) { return r.hits.Load(), r.misses.Load() }

// Services lists the services in use.
func (r *Router) Services() []string {
	var out []string
	for _, p := range r.table.Load().pools {
		out = append(out, p.service)
	}
	return out
}
