// Package fix balances requests over backends that it discovers itself.
package fix

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const discoveryInterval = 10 * time.Second

// Backend is one address that requests are sent to.
type Backend struct {
	url    *url.URL
	broken atomic.Bool
	stopCh chan struct{}

	stopOnce sync.Once
}

func newBackend(u *url.URL) *Backend {
	b := &Backend{url: u, stopCh: make(chan struct{})}
	go b.checkHealth()
	return b
}

func (b *Backend) stop() {
	b.stopOnce.Do(func() { close(b.stopCh) })
}

func (b *Backend) checkHealth() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-b.stopCh:
			return
		case <-t.C:
			resp, err := http.Head(b.url.String())
			if err == nil {
				resp.Body.Close()
			}
			b.broken.Store(err != nil)
		}
	}
}

// Route sends the requests of one user to its backends.
type Route struct {
	host   string
	lookup func(host string) []string

	backends     atomic.Pointer[[]*Backend]
	nextDiscover atomic.Int64
	discovering  atomic.Bool
	stopped      atomic.Bool
	n            atomic.Uint32
}

// NewRoute finds the backends of host with lookup.
func NewRoute(host string, lookup func(host string) []string) *Route {
	r := &Route{host: host, lookup: lookup}
	r.backends.Store(&[]*Backend{newBackend(&url.URL{Scheme: "http", Host: host})})
	return r
}

// discoverIfNeeded replaces the backends when the addresses have changed.
func (r *Route) discoverIfNeeded() {
	now := time.Now().Unix()
	deadline := r.nextDiscover.Load()
	if now < deadline || !r.discovering.CompareAndSwap(false, true) {
		return
	}
	defer r.discovering.Store(false)
	if !r.nextDiscover.CompareAndSwap(deadline, now+int64(discoveryInterval.Seconds())) {
		// Another goroutine has just finished a discovery.
		return
	}

	addrs := r.lookup(r.host)
	slices.Sort(addrs)
	old := r.backends.Load()
	if sameHosts(*old, addrs) {
		return
	}
	next := make([]*Backend, 0, len(addrs))
	for _, a := range addrs {
		next = append(next, newBackend(&url.URL{Scheme: "http", Host: a}))
	}
	r.backends.Store(&next)
	if r.stopped.Load() {
		// The configuration was replaced meanwhile.
		r.stopHealthChecks()
	}

	for _, b := range *old {
		b.stop()
	}
}

func sameHosts(backends []*Backend, addrs []string) bool {
	return slices.EqualFunc(backends, addrs, func(b *Backend, a string) bool { return b.url.Host == a })
}

// pick returns the backend for the next request, or nil.
func (r *Route) pick() *Backend {
	r.discoverIfNeeded()
	backends := *r.backends.Load()
	for range backends {
		b := backends[int(r.n.Add(1))%len(backends)]
		if !b.broken.Load() {
			return b
		}
	}
	return nil
}

// stopHealthChecks ends the checks when the configuration is replaced.
// Requests that are under way may still use the route.
func (r *Route) stopHealthChecks() {
	r.stopped.Store(true)
	backends := r.backends.Load()
	for _, b := range *backends {
		b.stop()
	}
}

// Proxy serves with the routes of the current configuration.
type Proxy struct {
	routes atomic.Pointer[map[string]*Route]
}

// Reload installs new routes.
func (p *Proxy) Reload(routes map[string]*Route) {
	old := p.routes.Swap(&routes)
	if old == nil {
		return
	}
	for _, r := range *old {
		r.stopHealthChecks()
	}
}

// ServeHTTP forwards the request of a user.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	user, _, _ := req.BasicAuth()
	routes := p.routes.Load()
	if routes == nil || (*routes)[user] == nil {
		http.Error(w, "unknown user", http.StatusUnauthorized)
		return
	}
	b := (*routes)[user].pick()
	if b == nil {
		http.Error(w, "no healthy backend", http.StatusBadGateway)
		return
	}
	httputil.NewSingleHostReverseProxy(b.url).ServeHTTP(w, req)
}
