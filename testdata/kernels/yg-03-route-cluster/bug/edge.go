// Package edge is the reverse proxy in front of the tenants' clusters.
package edge

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// Config is what the control plane pushes.
type Config struct {
	Clusters []ClusterConfig
	Routes   []RouteConfig
}

// ClusterConfig names a set of equal backends.
type ClusterConfig struct {
	Name      string
	Endpoints []string
}

// RouteConfig sends a host and path prefix to a cluster.
type RouteConfig struct {
	Host, Prefix, Cluster string
}

// Cluster balances over the backends of one tenant.
type Cluster struct {
	name      string
	endpoints []*url.URL
	next      atomic.Uint32
}

func (c *Cluster) pick() *url.URL {
	n := c.next.Add(1) - 1
	return c.endpoints[n%uint32(len(c.endpoints))]
}

type route struct {
	prefix  string
	cluster int
}

// Table is the compiled configuration. It is safe for concurrent use.
type Table struct {
	mu       sync.RWMutex
	routes   map[string][]route
	clusters []*Cluster
}

// Apply replaces the whole table, or leaves it alone if cfg is unusable.
func (t *Table) Apply(cfg Config) error {
	index := make(map[string]int)
	clusters := make([]*Cluster, 0, len(cfg.Clusters))
	for i, cc := range cfg.Clusters {
		c := &Cluster{name: cc.Name}
		for _, ep := range cc.Endpoints {
			u, err := url.Parse(ep)
			if err != nil {
				return fmt.Errorf("cluster %s: %w", cc.Name, err)
			}
			c.endpoints = append(c.endpoints, u)
		}
		if len(c.endpoints) == 0 {
			return fmt.Errorf("cluster %s: no endpoints", cc.Name)
		}
		index[cc.Name] = i
		clusters = append(clusters, c)
	}
	routes := make(map[string][]route)
	for _, rc := range cfg.Routes {
		i, ok := index[rc.Cluster]
		if !ok {
			return fmt.Errorf("route %s%s: unknown cluster %s", rc.Host, rc.Prefix, rc.Cluster)
		}
		routes[rc.Host] = append(routes[rc.Host], route{prefix: rc.Prefix, cluster: i})
	}
	for _, rs := range routes {
		sort.SliceStable(rs, func(i, j int) bool { return len(rs[i].prefix) > len(rs[j].prefix) })
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	t.routes, t.clusters = routes, clusters
	return nil
}

// Match finds the cluster of the longest matching prefix.
func (t *Table) Match(host, path string) (int, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, r := range t.routes[host] {
		if strings.HasPrefix(path, r.prefix) {
			return r.cluster, true
		}
	}
	return 0, false
}

// Cluster returns the cluster with the given number.
func (t *Table) Cluster(i int) *Cluster {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.clusters[i]
}

// Authorizer decides whether a request may pass.
type Authorizer interface {
	Allow(r *http.Request) bool
}

// Proxy serves the requests of all tenants.
type Proxy struct {
	table *Table
	auth  Authorizer
}

// NewProxy starts following updates until ctx ends.
func NewProxy(ctx context.Context, auth Authorizer, updates <-chan Config) *Proxy {
	p := &Proxy{table: &Table{}, auth: auth}
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case cfg, ok := <-updates:
				if !ok {
					return
				}
				if err := p.table.Apply(cfg); err != nil {
					log.Printf("edge: config rejected: %v", err)
				}
			}
		}
	}()
	return p
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, ok := p.table.Match(r.Host, r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	if !p.auth.Allow(r) {
		http.Error(w, "forbidden", http.StatusForbidden)
		return
	}
	cluster := p.table.Cluster(id)
	target := cluster.pick()
	rp := &httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.SetURL(target)
			pr.Out.Header.Set("X-Cluster", cluster.name)
		},
	}
	rp.ServeHTTP(w, r)
}
