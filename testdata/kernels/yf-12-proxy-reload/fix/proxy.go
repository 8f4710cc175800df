// Package edge is the routing core of the edge proxy. Its configuration is
// replaced at run time, by SIGHUP and by the admin API.
package edge

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config is a parsed configuration file.
type Config struct {
	Routes    []RouteConfig
	Upstreams map[string][]string // name to base URLs
}

// RouteConfig sends requests below a path prefix to an upstream.
type RouteConfig struct {
	Prefix   string
	Upstream string
}

// pool is the set of servers of one upstream.
type pool struct {
	name    string
	servers []*httputil.ReverseProxy
	tr      *http.Transport
	next    atomic.Uint64
}

func newPool(name string, urls []string) (*pool, error) {
	if len(urls) == 0 {
		return nil, fmt.Errorf("edge: upstream %q has no servers", name)
	}
	p := &pool{name: name, tr: &http.Transport{MaxIdleConnsPerHost: 32, IdleConnTimeout: time.Minute}}
	for _, raw := range urls {
		u, err := url.Parse(raw)
		if err != nil {
			return nil, fmt.Errorf("edge: upstream %q: %w", name, err)
		}
		rp := &httputil.ReverseProxy{
			Transport: p.tr,
			Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(u); r.SetXForwarded() },
		}
		p.servers = append(p.servers, rp)
	}
	return p, nil
}

// pick returns the servers in turn.
func (p *pool) pick() *httputil.ReverseProxy {
	return p.servers[p.next.Add(1)%uint64(len(p.servers))]
}

// route maps a prefix to the name of an upstream.
type route struct{ prefix, upstream string }

// compileRoutes sorts routes so that the longest prefix comes first, and checks
// that they lead somewhere.
func compileRoutes(cfg *Config) ([]route, error) {
	routes := make([]route, 0, len(cfg.Routes))
	for _, r := range cfg.Routes {
		if !strings.HasPrefix(r.Prefix, "/") {
			return nil, fmt.Errorf("edge: bad prefix %q", r.Prefix)
		}
		if _, ok := cfg.Upstreams[r.Upstream]; !ok {
			return nil, fmt.Errorf("edge: route %s: unknown upstream %q", r.Prefix, r.Upstream)
		}
		routes = append(routes, route{r.Prefix, r.Upstream})
	}
	sort.SliceStable(routes, func(i, j int) bool { return len(routes[i].prefix) > len(routes[j].prefix) })
	return routes, nil
}

// Proxy is the http.Handler of the edge. Reload may be called at any time.
type Proxy struct {
	mu     sync.RWMutex
	routes []route
	pools  map[string]*pool
}

var (
	errNoRoute = errors.New("no route")
	errNoPool  = errors.New("no such upstream")
)

// resolve finds the pool for a request path.
func (p *Proxy) resolve(path string) (*pool, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, r := range p.routes {
		if strings.HasPrefix(path, r.prefix) {
			if pl := p.pools[r.upstream]; pl != nil {
				return pl, nil
			}
			return nil, fmt.Errorf("%w: %s", errNoPool, r.upstream)
		}
	}
	return nil, errNoRoute
}

// ServeHTTP forwards a request to its upstream.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	pl, err := p.resolve(r.URL.Path)
	switch {
	case errors.Is(err, errNoRoute):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		pl.pick().ServeHTTP(w, r)
	}
}

// install replaces the routing table and the upstreams, and returns the old
// upstreams.
func (p *Proxy) install(routes []route, pools map[string]*pool) (old map[string]*pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.routes = routes
	old, p.pools = p.pools, pools
	return old
}

// Reload puts a new configuration into effect. If it is not valid, the present
// one stays.
func (p *Proxy) Reload(cfg *Config) error {
	routes, err := compileRoutes(cfg)
	if err != nil {
		return err
	}
	pools := make(map[string]*pool, len(cfg.Upstreams))
	for name, urls := range cfg.Upstreams {
		pl, err := newPool(name, urls)
		if err != nil {
			return err
		}
		pools[name] = pl
	}
	old := p.install(routes, pools)
	for _, pl := range old {
		// Requests in progress keep their connections.
		pl.tr.CloseIdleConnections()
	}
	return nil
}

// Upstreams lists the names of the configured upstreams.
func (p *Proxy) Upstreams() []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	names := make([]string, 0, len(p.pools))
	for name := range p.pools {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
