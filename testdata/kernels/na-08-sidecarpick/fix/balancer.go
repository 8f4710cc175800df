// Package balancer chooses endpoints for outbound requests of a sidecar.
package balancer

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"sync"
	"sync/atomic"
)

var (
	ErrNoRoute    = errors.New("balancer: no route")
	ErrNoCluster  = errors.New("balancer: unknown cluster")
	ErrNoEndpoint = errors.New("balancer: cluster has no endpoints")
)

// Weighted is one destination of a route.
type Weighted struct {
	Cluster string
	Weight  uint32
}

// Config is one complete push of the control plane. It is not modified after
// it has been given to Apply.
type Config struct {
	Version  string
	Routes   map[string][]Weighted
	Clusters map[string][]string
}

type state struct {
	mu       sync.RWMutex
	version  string
	routes   map[string][]Weighted
	clusters map[string][]string
}

func (s *state) replace(c *Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.routes, s.clusters = c.Version, c.Routes, c.Clusters
}

func (s *state) route(host string) ([]Weighted, bool) {
	ws, ok := s.routes[host]
	if !ok {
		ws, ok = s.routes["*"]
	}
	return ws, ok
}

func (s *state) endpoints(cluster string) ([]string, bool) {
	eps, ok := s.clusters[cluster]
	return eps, ok
}

// Balancer resolves hosts to endpoints.
type Balancer struct {
	cfg  *state
	next atomic.Uint64
}

// New returns a balancer that starts with c.
func New(c *Config) *Balancer {
	b := &Balancer{cfg: new(state)}
	b.cfg.replace(c)
	return b
}

// Apply installs a push after checking that it is complete.
func (b *Balancer) Apply(c *Config) error {
	for host, ws := range c.Routes {
		if len(ws) == 0 {
			return fmt.Errorf("%w: %s is empty", ErrNoRoute, host)
		}
		for _, w := range ws {
			if _, ok := c.Clusters[w.Cluster]; !ok {
				return fmt.Errorf("%w: %s in route %s", ErrNoCluster, w.Cluster, host)
			}
		}
	}
	b.cfg.replace(c)
	return nil
}

func (b *Balancer) clusterFor(host, key string) (string, error) {
	ws, ok := b.cfg.route(host)
	if !ok {
		return "", fmt.Errorf("%w: %s", ErrNoRoute, host)
	}
	var total uint32
	for _, w := range ws {
		total += w.Weight
	}
	if total == 0 {
		return ws[0].Cluster, nil
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	at := h.Sum32() % total
	for _, w := range ws {
		if at < w.Weight {
			return w.Cluster, nil
		}
		at -= w.Weight
	}
	return ws[len(ws)-1].Cluster, nil
}

// Pick returns the endpoint for one request.
func (b *Balancer) Pick(host, key string) (string, error) {
	b.cfg.mu.RLock()
	defer b.cfg.mu.RUnlock()
	cluster, err := b.clusterFor(host, key)
	if err != nil {
		return "", err
	}
	eps, ok := b.cfg.endpoints(cluster)
	if !ok {
		return "", fmt.Errorf("%w: %s", ErrNoCluster, cluster)
	}
	if len(eps) == 0 {
		return "", fmt.Errorf("%w: %s", ErrNoEndpoint, cluster)
	}
	return eps[b.next.Add(1)%uint64(len(eps))], nil
}

// Director rewrites an outbound request to its endpoint.
func (b *Balancer) Director(rw http.ResponseWriter, r *http.Request) bool {
	ep, err := b.Pick(r.Host, r.Header.Get("X-Session"))
	if err != nil {
		http.Error(rw, err.Error(), http.StatusServiceUnavailable)
		return false
	}
	r.URL.Host = ep
	return true
}
