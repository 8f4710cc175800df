// Package drain lets a server finish requests before it stops.
package drain

import (
	"context"
	"net/http"
	"sync/atomic"
)

const draining = uint64(1) << 63

// Gate counts requests in flight. The zero value is not usable; call New.
type Gate struct {
	state atomic.Uint64 // draining bit and number of requests
	idle  chan struct{}
}

// New returns an open gate.
func New() *Gate {
	return &Gate{idle: make(chan struct{})}
}

// Enter reports whether a request may start. Each success needs one Leave.
func (g *Gate) Enter() bool {
	for {
		s := g.state.Load()
		if s&draining != 0 {
			return false
		}
		if g.state.CompareAndSwap(s, s+1) {
			return true
		}
	}
}

// Leave marks the end of a request.
func (g *Gate) Leave() {
	if g.state.Add(^uint64(0)) == draining {
		close(g.idle)
	}
}

// Close refuses further requests.
func (g *Gate) Close() {
	for {
		s := g.state.Load()
		if s&draining != 0 {
			return
		}
		if g.state.CompareAndSwap(s, s|draining) {
			if s == 0 {
				close(g.idle)
			}
			return
		}
	}
}

// Wait closes the gate and returns when no request is in flight.
func (g *Gate) Wait(ctx context.Context) error {
	g.Close()
	select {
	case <-g.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// InFlight returns the number of requests being served.
func (g *Gate) InFlight() int {
	return int(g.state.Load() &^ draining)
}

// Handler rejects requests to next once the gate is closed.
func (g *Gate) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.Enter() {
			w.Header().Set("Connection", "close")
			http.Error(w, "shutting down", http.StatusServiceUnavailable)
			return
		}
		defer g.Leave()
		next.ServeHTTP(w, r)
	})
}
