package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrTooMany is returned for a configuration with too many routes.
var ErrTooMany = errors.New("routes: too many")

// Routes maps hosts to backends and counts the requests of each host.
type Routes struct {
	mu       sync.Mutex
	backends map[string][]string
	requests map[string]int
}

func newRoutes() *Routes {
	return &Routes{backends: make(map[string][]string), requests: make(map[string]int)}
}

// Has reports whether there is a route for host.
func (r *Routes) Has(host string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.backends[host]) > 0
}

// Len reports the number of hosts.
func (r *Routes) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.backends)
}

// Pick returns the backend for the next request to host.
func (r *Routes) Pick(host string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.backends[host]
	if len(b) == 0 {
		return "", false
	}
	n := r.requests[host]
	r.requests[host] = n + 1
	return b[n%len(b)], true
}

func (r *Routes) add(host, backend string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.backends[host] = append(r.backends[host], backend)
}

// Route is one line of the configuration.
type Route struct{ Host, Backend string }

// Proxy serves from the routes loaded last.
type Proxy struct {
	limit  int
	read   func() ([]Route, error)
	reload sync.Mutex
	routes atomic.Pointer[Routes]
}

// NewProxy returns a proxy without routes; read reads the configuration.
func NewProxy(limit int, read func() ([]Route, error)) *Proxy {
	p := &Proxy{limit: limit, read: read}
	p.routes.Store(newRoutes())
	return p
}

// Reload reads the configuration and puts it into force.
func (p *Proxy) Reload() error {
	p.reload.Lock()
	defer p.reload.Unlock()
	conf, err := p.read()
	if err != nil {
		return err
	}
	next := newRoutes()
	for _, c := range conf {
		if !next.Has(c.Host) && next.Len() >= p.limit {
			return ErrTooMany
		}
		next.add(c.Host, c.Backend)
	}
	p.routes.Store(next)
	return nil
}

// Backend returns the backend for a request to host.
func (p *Proxy) Backend(host string) (string, bool) {
	return p.routes.Load().Pick(host)
}
