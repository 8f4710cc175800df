// Package fix routes requests by host name to clusters of endpoints.
package fix

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	ErrNoRoute    = errors.New("route: no route")
	ErrNoEndpoint = errors.New("route: cluster is empty")
)

type ClusterConfig struct {
	Name      string
	Hosts     []string
	Endpoints []string
}

type cluster struct {
	name      string
	endpoints []string
	turn      atomic.Uint64
}

func (c *cluster) endpoint() (string, error) {
	if len(c.endpoints) == 0 {
		return "", ErrNoEndpoint
	}
	n := c.turn.Add(1) - 1
	return c.endpoints[n%uint64(len(c.endpoints))], nil
}

// hostTable finds the number of the cluster that serves a host.
type hostTable struct {
	exact    map[string]int
	wildcard map[string]int
}

func (t *hostTable) find(host string) (int, bool) {
	if i, ok := t.exact[host]; ok {
		return i, true
	}
	for {
		_, rest, ok := strings.Cut(host, ".")
		if !ok {
			return 0, false
		}
		if i, ok := t.wildcard[rest]; ok {
			return i, true
		}
		host = rest
	}
}

// tables belong together: hosts has indexes into clusters.
type tables struct {
	hosts    *hostTable
	clusters []*cluster
}

func build(cfg []ClusterConfig) (*hostTable, []*cluster, error) {
	t := &hostTable{exact: make(map[string]int), wildcard: make(map[string]int)}
	list := make([]*cluster, 0, len(cfg))
	for i, c := range cfg {
		for _, h := range c.Hosts {
			m := t.exact
			if rest, ok := strings.CutPrefix(h, "*."); ok {
				m, h = t.wildcard, rest
			}
			if _, dup := m[h]; dup {
				return nil, nil, fmt.Errorf("route: host %q twice", h)
			}
			m[h] = i
		}
		list = append(list, &cluster{name: c.Name, endpoints: c.Endpoints})
	}
	return t, list, nil
}

// Router serves lookups without locks; Reload may be called at any time.
type Router struct {
	reload  sync.Mutex
	current atomic.Pointer[tables]
}

func NewRouter(cfg []ClusterConfig) (*Router, error) {
	r := new(Router)
	if err := r.Reload(cfg); err != nil {
		return nil, err
	}
	return r, nil
}

// Reload puts a new configuration in force.
func (r *Router) Reload(cfg []ClusterConfig) error {
	r.reload.Lock()
	defer r.reload.Unlock()
	t, list, err := build(cfg)
	if err != nil {
		return err
	}
	r.current.Store(&tables{hosts: t, clusters: list})
	return nil
}

// Pick returns the endpoint for the next request to host.
func (r *Router) Pick(host string) (string, error) {
	cur := r.current.Load()
	i, ok := cur.hosts.find(strings.ToLower(host))
	if !ok {
		return "", ErrNoRoute
	}
	return cur.clusters[i].endpoint()
}

// Names lists the clusters.
func (r *Router) Names() []string {
	var out []string
	for _, c := range r.current.Load().clusters {
		out = append(out, c.name)
	}
	return out
}
