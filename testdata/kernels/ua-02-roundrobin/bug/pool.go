// Package upstream balances HTTP requests over a changing set of backends.
package upstream

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNoBackends is returned when the pool is empty.
var ErrNoBackends = errors.New("upstream: no backends")

// Backend is one upstream server.
type Backend struct {
	Name  string
	URL   *url.URL
	proxy *httputil.ReverseProxy
}

// NewBackend returns a backend that forwards to u.
func NewBackend(name string, u *url.URL) *Backend {
	return &Backend{Name: name, URL: u, proxy: httputil.NewSingleHostReverseProxy(u)}
}

// Pool is a set of backends used in rotation.
type Pool struct {
	client *http.Client
	next   atomic.Uint64

	mu       sync.RWMutex
	backends []*Backend
}

// NewPool returns an empty pool that probes its backends with client.
func NewPool(client *http.Client) *Pool {
	return &Pool{client: client}
}

// Register adds b, replacing a backend of the same name.
func (p *Pool) Register(b *Backend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, old := range p.backends {
		if old.Name == b.Name {
			p.backends[i] = b
			return
		}
	}
	p.backends = append(p.backends, b)
}

// Remove takes b out of rotation. It does nothing if b was replaced before.
func (p *Pool) Remove(b *Backend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, x := range p.backends {
		if x == b {
			p.backends = append(p.backends[:i], p.backends[i+1:]...)
			return
		}
	}
}

// Len returns the number of backends in rotation.
func (p *Pool) Len() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.backends)
}

// At returns the i-th backend in rotation.
func (p *Pool) At(i int) *Backend {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.backends[i]
}

// Pick returns the next backend in rotation.
func (p *Pool) Pick() (*Backend, error) {
	n := p.Len()
	if n == 0 {
		return nil, ErrNoBackends
	}
	i := p.next.Add(1) % uint64(n)
	return p.At(int(i)), nil
}

// ServeHTTP forwards r to the next backend.
func (p *Pool) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := p.Pick()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	r.Header.Set("X-Upstream", b.Name)
	b.proxy.ServeHTTP(w, r)
}

// Watch probes the backends every interval until ctx ends and removes those
// that do not answer. A backend registers itself again once it is back.
func (p *Pool) Watch(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		for _, b := range p.snapshot() {
			if err := p.probe(ctx, b); err != nil {
				slog.Warn("backend down", "name", b.Name, "err", err)
				p.Remove(b)
			}
		}
	}
}

func (p *Pool) snapshot() []*Backend {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return append([]*Backend(nil), p.backends...)
}

func (p *Pool) probe(ctx context.Context, b *Backend) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, b.URL.JoinPath("healthz").String(), nil)
	if err != nil {
		return err
	}
	res, err := p.client.Do(req)
	if err != nil {
		return err
	}
	res.Body.Close()
	if res.StatusCode >= 500 {
		return errors.New(res.Status)
	}
	return nil
}
