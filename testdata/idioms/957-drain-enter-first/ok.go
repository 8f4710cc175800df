// Package drain lets a connection manager shut a backend without cutting off
// the requests that use it.
package drain

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ErrDraining is returned to callers that come after Drain was called.
var ErrDraining = errors.New("drain: backend is draining")

// Backend is closed when nobody uses it any more.
type Backend interface {
	RoundTrip(*http.Request) (*http.Response, error)
	Close() error
}

// Gate stands in front of one backend. It is safe for concurrent use, and
// adds no lock to the path of a request.
type Gate struct {
	backend  Backend
	inflight atomic.Int64
	draining atomic.Bool

	closeOnce sync.Once
	closeErr  error
}

// NewGate returns an open gate.
func NewGate(b Backend) *Gate {
	return &Gate{backend: b}
}

// Do passes a request to the backend and hands the response to use, which
// must not keep it.
func (g *Gate) Do(req *http.Request, use func(*http.Response) error) error {
	if !g.enter() {
		return ErrDraining
	}
	defer g.leave()
	resp, err := g.backend.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return use(resp)
}

func (g *Gate) enter() bool {
	g.inflight.Add(1)
	if g.draining.Load() {
		g.leave()
		return false
	}
	return true
}

func (g *Gate) leave() {
	g.inflight.Add(-1)
}

// Healthy reports whether the balancer should choose this backend.
func (g *Gate) Healthy() bool {
	return !g.draining.Load()
}

// Drain refuses new requests, waits for the others and closes the backend.
// If ctx ends first the backend stays open and Drain may be called again.
func (g *Gate) Drain(ctx context.Context) error {
	g.draining.Store(true)
	t := time.NewTicker(5 * time.Millisecond)
	defer t.Stop()
	for g.inflight.Load() != 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
	g.closeOnce.Do(func() { g.closeErr = g.backend.Close() })
	return g.closeErr
}

// DrainAll drains several gates at once.
func DrainAll(ctx context.Context, gates []*Gate) error {
	errs := make([]error, len(gates))
	var wg sync.WaitGroup
	for i, g := range gates {
		wg.Go(func() { errs[i] = g.Drain(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
