// Package upstream keeps the set of backends behind one virtual host of the
// edge proxy and spreads requests over them.
package upstream

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNoBackend is returned when the pool is empty.
var ErrNoBackend = errors.New("upstream: no backend available")

// ErrUnknownBackend is returned by Remove for an address that is not pooled.
var ErrUnknownBackend = errors.New("upstream: unknown backend")

// Request is one proxied call.
type Request struct {
	Method string
	Path   string
	Body   []byte
}

// Response is what the backend answered.
type Response struct {
	Status int
	Body   []byte
}

// Session is a multiplexed connection to a backend. Exchange may be called
// from many goroutines; after Close every Exchange fails.
type Session interface {
	Exchange(ctx context.Context, req *Request) (*Response, error)
	Close() error
}

// Backend is one upstream host together with its session.
type Backend struct {
	Addr string

	sess     Session
	inflight atomic.Int64
	served   atomic.Uint64
}

// begin notes that a request is on its way to the backend.
func (b *Backend) begin() { b.inflight.Add(1) }

// end notes that the request is over.
func (b *Backend) end() {
	b.served.Add(1)
	b.inflight.Add(-1)
}

// Pool is safe for concurrent use. Requests run through RoundTrip while the
// control plane adds and removes backends.
type Pool struct {
	mu       sync.RWMutex
	backends []*Backend

	turn      atomic.Uint64
	drainPoll time.Duration
}

// NewPool returns an empty pool.
func NewPool() *Pool {
	return &Pool{drainPoll: 20 * time.Millisecond}
}

// Add puts a connected backend into rotation. An address can be added only
// once.
func (p *Pool) Add(addr string, sess Session) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.backends {
		if b.Addr == addr {
			return errors.New("upstream: duplicate backend " + addr)
		}
	}
	p.backends = append(p.backends, &Backend{Addr: addr, sess: sess})
	return nil
}

// pick returns the backend whose turn it is, or nil when there is none.
func (p *Pool) pick() *Backend {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if len(p.backends) == 0 {
		return nil
	}
	return p.backends[p.turn.Add(1)%uint64(len(p.backends))]
}

// RoundTrip sends req to one of the backends and returns its answer.
func (p *Pool) RoundTrip(ctx context.Context, req *Request) (*Response, error) {
	b := p.pick()
	if b == nil {
		return nil, ErrNoBackend
	}
	b.begin()
	defer b.end()
	return b.sess.Exchange(ctx, req)
}

// detach takes the backend out of rotation.
func (p *Pool) detach(addr string) *Backend {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, b := range p.backends {
		if b.Addr == addr {
			p.backends = append(p.backends[:i:i], p.backends[i+1:]...)
			return b
		}
	}
	return nil
}

// Remove takes the backend at addr out of rotation, lets the requests it is
// serving finish, and closes its session. When ctx ends first the session is
// closed under the requests that are left.
func (p *Pool) Remove(ctx context.Context, addr string) error {
	b := p.detach(addr)
	if b == nil {
		return ErrUnknownBackend
	}
	tick := time.NewTicker(p.drainPoll)
	defer tick.Stop()
	for b.inflight.Load() > 0 {
		select {
		case <-ctx.Done():
			b.sess.Close()
			return ctx.Err()
		case <-tick.C:
		}
	}
	return b.sess.Close()
}

// BackendStatus is one line of the admin page.
type BackendStatus struct {
	Addr     string
	Inflight int64
	Served   uint64
}

// Status lists the backends in rotation. The numbers are sampled while
// traffic flows.
func (p *Pool) Status() []BackendStatus {
	p.mu.RLock()
	defer p.mu.RUnlock()
	out := make([]BackendStatus, 0, len(p.backends))
	for _, b := range p.backends {
		out = append(out, BackendStatus{
			Addr:     b.Addr,
			Inflight: b.inflight.Load(),
			Served:   b.served.Load(),
		})
	}
	return out
}
