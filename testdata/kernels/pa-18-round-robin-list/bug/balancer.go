// Package balancer spreads proxied requests over the endpoints of a service.
package balancer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
)

// ErrNoEndpoints is returned while a service has no endpoint.
var ErrNoEndpoints = errors.New("balancer: no endpoints")

// Endpoint is one instance of the service.
type Endpoint struct {
	URL  *url.URL
	Zone string
}

// Discovery streams the endpoints of a service.
type Discovery interface {
	Watch(ctx context.Context, service string) (<-chan []Endpoint, error)
}

// RoundRobin picks endpoints in turn.
type RoundRobin struct {
	next      atomic.Uint64
	endpoints List[Endpoint]
}

// Pick returns the next endpoint.
func (rr *RoundRobin) Pick() (Endpoint, error) {
	n := rr.endpoints.Len()
	if n == 0 {
		return Endpoint{}, ErrNoEndpoints
	}
	i := rr.next.Add(1) % uint64(n)
	return rr.endpoints.At(int(i)), nil
}

// Proxy forwards requests to a service.
type Proxy struct {
	service string
	rr      *RoundRobin
	rp      *httputil.ReverseProxy
}

type endpointKey struct{}

// NewProxy returns a proxy that follows the discovery until ctx is done.
func NewProxy(ctx context.Context, d Discovery, service string) (*Proxy, error) {
	updates, err := d.Watch(ctx, service)
	if err != nil {
		return nil, fmt.Errorf("balancer: watch %s: %w", service, err)
	}
	p := &Proxy{service: service, rr: &RoundRobin{}}
	p.rp = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(r.In.Context().Value(endpointKey{}).(*url.URL))
	}}
	go func() {
		for eps := range updates {
			slog.Info("balancer: endpoints", "service", service, "n", len(eps))
			p.rr.endpoints.Replace(eps)
		}
	}()
	return p, nil
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ep, err := p.rr.Pick()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	ctx := context.WithValue(r.Context(), endpointKey{}, ep.URL)
	p.rp.ServeHTTP(w, r.WithContext(ctx))
}

// WriteStatus writes the endpoints for the admin page.
func (p *Proxy) WriteStatus(w io.Writer) {
	for i, ep := range p.rr.endpoints.Snapshot() {
		fmt.Fprintf(w, "%s[%d] %s zone=%s\n", p.service, i, ep.URL, ep.Zone)
	}
}
