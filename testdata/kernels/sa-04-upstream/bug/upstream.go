// Package upstream forwards requests to a set of servers with a limit on the
// requests that each may have at a time.
package upstream

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"
)

type server struct {
	base    *url.URL
	proxy   *httputil.ReverseProxy
	limit   int64
	active  atomic.Int64
	healthy atomic.Bool
}

// enter claims one of the server's slots.
func (s *server) enter() bool {
	if s.active.Load() >= s.limit {
		return false
	}
	s.active.Add(1)
	return true
}

func (s *server) leave() {
	s.active.Add(-1)
}

// Pool is an http.Handler that spreads requests over its servers.
type Pool struct {
	servers  []*server
	next     atomic.Uint64
	rejected atomic.Uint64
	client   *http.Client
}

// NewPool returns a pool of the given servers; each takes at most limit
// requests at a time.
func NewPool(limit int64, bases ...string) (*Pool, error) {
	p := &Pool{client: &http.Client{Timeout: 2 * time.Second}}
	for _, b := range bases {
		u, err := url.Parse(b)
		if err != nil {
			return nil, err
		}
		s := &server{base: u, proxy: httputil.NewSingleHostReverseProxy(u), limit: limit}
		s.healthy.Store(true)
		p.servers = append(p.servers, s)
	}
	return p, nil
}

// acquire returns a server with a free slot, or nil.
func (p *Pool) acquire() *server {
	n := uint64(len(p.servers))
	if n == 0 {
		return nil
	}
	start := p.next.Add(1)
	for i := range n {
		s := p.servers[(start+i)%n]
		if s.healthy.Load() && s.enter() {
			return s
		}
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (p *Pool) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := p.acquire()
	if s == nil {
		p.rejected.Add(1)
		w.Header().Set("Retry-After", "1")
		http.Error(w, "no upstream available", http.StatusServiceUnavailable)
		return
	}
	defer s.leave()
	s.proxy.ServeHTTP(w, r)
}

// Rejected is the number of requests that found no server.
func (p *Pool) Rejected() uint64 { return p.rejected.Load() }

// Watch probes the servers every interval until ctx is done.
func (p *Pool) Watch(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, s := range p.servers {
			s.healthy.Store(p.probe(ctx, s))
		}
	}
}

func (p *Pool) probe(ctx context.Context, s *server) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base.JoinPath("healthz").String(), nil)
	if err != nil {
		return false
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
