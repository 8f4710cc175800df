// Package tenantgate bounds the number of requests in flight per tenant.
package tenantgate

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// gate is shared by all requests of one tenant and dropped when the last of
// them is through.
type gate struct {
	refs  atomic.Int64
	slots chan struct{}
}

// Limiter keeps one gate per active key.
type Limiter[K comparable] struct {
	limit int
	gates sync.Map // K -> *gate
}

// NewLimiter allows limit holders per key.
func NewLimiter[K comparable](limit int) *Limiter[K] {
	return &Limiter[K]{limit: limit}
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
	v, ok := l.gates.Load(key)
	if !ok {
		v, _ = l.gates.LoadOrStore(key, &gate{slots: make(chan struct{}, l.limit)})
	}
	g := v.(*gate)
	g.refs.Add(1)
	return g
}

func (l *Limiter[K]) leave(key K, g *gate) {
	if g.refs.Add(-1) == 0 {
		l.gates.CompareAndDelete(key, g)
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
