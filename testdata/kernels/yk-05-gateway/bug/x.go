package bug

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

var ErrNoRoute = errors.New("no route")

type RouteSpec struct {
	Host    string
	Prefix  string
	Service string
}

type Config struct {
	Routes   []RouteSpec
	Services map[string]string // name -> upstream URL
}

type route struct {
	host   string
	prefix string
	slot   int
}

type routeTable struct {
	routes []route
}

func (t *routeTable) match(host, path string) (int, bool) {
	for _, r := range t.routes {
		if r.host == host && strings.HasPrefix(path, r.prefix) {
			return r.slot, true
		}
	}
	return 0, false
}

type upstreamSet struct {
	urls []string
	hits []atomic.Int64
}

// Gateway routes requests; the configuration is replaced while it serves.
type Gateway struct {
	applyMu   sync.Mutex
	table     atomic.Pointer[routeTable]
	upstreams atomic.Pointer[upstreamSet]
}

func New(cfg Config) (*Gateway, error) {
	g := &Gateway{}
	if err := g.Apply(cfg); err != nil {
		return nil, err
	}
	return g, nil
}

func compile(cfg Config) (*routeTable, *upstreamSet, error) {
	names := make([]string, 0, len(cfg.Services))
	for n := range cfg.Services {
		names = append(names, n)
	}
	sort.Strings(names)
	slots := make(map[string]int, len(names))
	set := &upstreamSet{hits: make([]atomic.Int64, len(names))}
	for i, n := range names {
		slots[n] = i
		set.urls = append(set.urls, cfg.Services[n])
	}
	t := &routeTable{}
	for _, r := range cfg.Routes {
		slot, ok := slots[r.Service]
		if !ok {
			return nil, nil, fmt.Errorf("route %s%s: unknown service %q", r.Host, r.Prefix, r.Service)
		}
		t.routes = append(t.routes, route{host: r.Host, prefix: r.Prefix, slot: slot})
	}
	sort.SliceStable(t.routes, func(i, j int) bool {
		return len(t.routes[i].prefix) > len(t.routes[j].prefix)
	})
	return t, set, nil
}

// Apply compiles a configuration and puts it in force.
func (g *Gateway) Apply(cfg Config) error {
	t, set, err := compile(cfg)
	if err != nil {
		return err
	}
	g.applyMu.Lock()
	defer g.applyMu.Unlock()
	g.upstreams.Store(set)
	g.table.Store(t)
	return nil
}

func (g *Gateway) target(slot int) string {
	set := g.upstreams.Load()
	set.hits[slot].Add(1)
	return set.urls[slot]
}

// Resolve returns the upstream URL for a request.
func (g *Gateway) Resolve(host, path string) (string, error) {
	slot, ok := g.table.Load().match(host, path)
	if !ok {
		return "", ErrNoRoute
	}
	return g.target(slot), nil
}

// Hits returns the number of requests each upstream got.
func (g *Gateway) Hits() map[string]int64 {
	set := g.upstreams.Load()
	out := make(map[string]int64, len(set.urls))
	for i, u := range set.urls {
		out[u] += set.hits[i].Load()
	}
	return out
}
