// Package proxy is middleware that proxies HTTP requests.
package proxy

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

var errUnreachable = errors.New("unreachable backend")

// UpstreamHost represents a single proxy upstream
type UpstreamHost struct {
	Conns       int64 // must be first field to be 64-bit aligned on 32-bit systems
	Name        string
	Fails       int32
	FailTimeout time.Duration
	unhealthy   int32
	Proxy       http.Handler
}

// Down checks whether the upstream host is down or not.
func (uh *UpstreamHost) Down() bool {
	return atomic.LoadInt32(&uh.unhealthy) != 0 || atomic.LoadInt32(&uh.Fails) > 0
}

// Available checks whether the upstream host is available for proxying to
func (uh *UpstreamHost) Available() bool {
	return !uh.Down()
}

type staticUpstream struct {
	from        string
	hosts       HostPool
	policy      Policy
	healthCheck time.Duration
	stop        chan struct{}
}

// NewStaticUpstream makes an upstream of the given hosts.
func NewStaticUpstream(from, policy string, names []string, proxy func(name string) http.Handler) (*staticUpstream, error) {
	newPolicy, ok := supportedPolicies[policy]
	if !ok || len(names) == 0 {
		return nil, errors.New("bad proxy directive")
	}
	u := &staticUpstream{from: from, policy: newPolicy(), healthCheck: 30 * time.Second, stop: make(chan struct{})}
	for _, name := range names {
		u.hosts = append(u.hosts, &UpstreamHost{Name: name, FailTimeout: 10 * time.Second, Proxy: proxy(name)})
	}
	go u.healthCheckWorker()
	return u, nil
}

func (u *staticUpstream) From() string { return u.from }

func (u *staticUpstream) healthCheckWorker() {
	ticker := time.NewTicker(u.healthCheck)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			for _, host := range u.hosts {
				r, err := http.Get(host.Name)
				if err == nil {
					r.Body.Close()
				}
				var unhealthy int32
				if err != nil || r.StatusCode >= 400 {
					unhealthy = 1
				}
				atomic.StoreInt32(&host.unhealthy, unhealthy)
			}
		case <-u.stop:
			return
		}
	}
}

// Select selects an upstream host to be routed to.
func (u *staticUpstream) Select() *UpstreamHost {
	pool := u.hosts
	if len(pool) == 1 {
		if !pool[0].Available() {
			return nil
		}
		return pool[0]
	}
	return u.policy.Select(pool)
}

// Proxy represents a middleware instance that can proxy requests.
type Proxy struct {
	Next      http.Handler
	Upstreams []*staticUpstream
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// ServeHTTP satisfies the http.Handler interface.
func (p Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, upstream := range p.Upstreams {
		if !strings.HasPrefix(r.URL.Path, upstream.From()) {
			continue
		}
		host := upstream.Select()
		if host == nil {
			http.Error(w, errUnreachable.Error(), http.StatusBadGateway)
			return
		}
		rec := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		atomic.AddInt64(&host.Conns, 1)
		host.Proxy.ServeHTTP(rec, r)
		atomic.AddInt64(&host.Conns, -1)

		if rec.status >= 500 {
			timeout := host.FailTimeout
			atomic.AddInt32(&host.Fails, 1)
			go func(host *UpstreamHost, timeout time.Duration) {
				time.Sleep(timeout)
				atomic.AddInt32(&host.Fails, -1)
			}(host, timeout)
		}
		return
	}
	p.Next.ServeHTTP(w, r)
}
