// Package tenantgate bounds the number of requests in flight per tenant.
package tenantgate

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// gate is shared by all requests of one tenant and dropped when the last of
// them is through.
type gate struct {
	refs  int // guarded by Limiter.mu
	slots chan struct{}
}

// Limiter keeps one gate per active key.
type Limiter[K comparable] struct {
	limit int
	mu    sync.Mutex
	gates map[K]*gate
}

// NewLimiter allows limit holders per key.
func NewLimiter[K comparable](limit int) *Limiter[K] {
	return &Limiter[K]{limit: limit, gates: make(map[K]*gate)}
}

// Acquire waits for a slot of key. The returned function gives it back and
// must be called once.
func (l *Limiter[K]) Acquire(ctx context.Context, key K) (func(), error) {
	g := l.enter(key)
	select {
	case g.slots <- struct{}{}:
		return func() {
			<-g.slots
			l.leave(key, g)
		}, nil
	case <-ctx.Done():
		l.leave(key, g)
		return nil, ctx.Err()
	}
}

func (l *Limiter[K]) enter(key K) *gate {
	l.mu.Lock()
	defer l.mu.Unlock()
	g, ok := l.gates[key]
	if !ok {
		g = &gate{slots: make(chan struct{}, l.limit)}
		l.gates[key] = g
	}
	g.refs++
	return g
}

func (l *Limiter[K]) leave(key K, g *gate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g.refs--
	if g.refs == 0 {
		delete(l.gates, key)
	}
}

// Middleware applies a limiter to HTTP requests.
type Middleware struct {
	limiter *Limiter[string]
	wait    time.Duration
	next    http.Handler
}

// Wrap limits next to limit concurrent requests per tenant.
func Wrap(next http.Handler, limit int, wait time.Duration) *Middleware {
	return &Middleware{limiter: NewLimiter[string](limit), wait: wait, next: next}
}

func (m *Middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tenant := r.Header.Get("X-Tenant")
	if tenant == "" {
		http.Error(w, "missing tenant", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), m.wait)
	release, err := m.limiter.Acquire(ctx, tenant)
	cancel()
	if err != nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many requests", http.StatusTooManyRequests)
		return
	}
	defer release()
	m.next.ServeHTTP(w, r)
}
