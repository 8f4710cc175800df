// Package balancer spreads HTTP requests over healthy upstreams.
package balancer

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// list is a set that keeps its order.
type list[T comparable] struct {
	mu    sync.RWMutex
	items []T
}

func (l *list[T]) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.items)
}

func (l *list[T]) At(i int) T {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.items[i]
}

func (l *list[T]) Add(v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.items {
		if x == v {
			return
		}
	}
	l.items = append(l.items, v)
}

func (l *list[T]) Remove(v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, x := range l.items {
		if x == v {
			l.items = append(l.items[:i], l.items[i+1:]...)
			return
		}
	}
}

type upstream struct {
	target *url.URL
	proxy  *httputil.ReverseProxy
}

// Balancer is an http.Handler that forwards round robin.
type Balancer struct {
	all     []*upstream
	healthy list[*upstream]
	next    atomic.Uint32
	client  *http.Client
}

// New returns a balancer in which every target counts as healthy.
func New(targets []*url.URL) *Balancer {
	b := &Balancer{client: &http.Client{Timeout: 2 * time.Second}}
	for _, t := range targets {
		u := &upstream{target: t, proxy: httputil.NewSingleHostReverseProxy(t)}
		b.all = append(b.all, u)
		b.healthy.Add(u)
	}
	return b
}

func (b *Balancer) pick() *upstream {
	n := b.healthy.Len()
	if n == 0 {
		return nil
	}
	i := b.next.Add(1)
	return b.healthy.At(int(i % uint32(n)))
}

func (b *Balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u := b.pick()
	if u == nil {
		http.Error(w, "no upstream available", http.StatusServiceUnavailable)
		return
	}
	u.proxy.ServeHTTP(w, r)
}

// CheckHealth probes every upstream each interval until ctx ends.
func (b *Balancer) CheckHealth(ctx context.Context, interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		for _, u := range b.all {
			if b.probe(ctx, u) {
				b.healthy.Add(u)
			} else {
				b.healthy.Remove(u)
			}
		}
	}
}

func (b *Balancer) probe(ctx context.Context, u *upstream) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.target.JoinPath("healthz").String(), nil)
	if err != nil {
		return false
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
