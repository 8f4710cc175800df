// Package gateway serves the order API and shuts down without losing requests.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// ErrDraining is the answer to requests during shutdown.
var ErrDraining = errors.New("gateway: shutting down")

// OrderStore is where orders go.
type OrderStore interface {
	Insert(ctx context.Context, o Order) (id string, err error)
	Close() error
}

// Order is an incoming order.
type Order struct {
	Customer string   `json:"customer"`
	Lines    []string `json:"lines"`
}

// Gateway is the HTTP front of an order store.
type Gateway struct {
	store    OrderStore
	draining atomic.Bool
	inflight atomic.Int64
	served   atomic.Uint64
}

// New returns a gateway for the store, which it closes at shutdown.
func New(store OrderStore) *Gateway {
	return &Gateway{store: store}
}

func (g *Gateway) enter() error {
	if g.draining.Load() {
		return ErrDraining
	}
	g.inflight.Add(1)
	return nil
}

func (g *Gateway) leave() {
	g.inflight.Add(-1)
}

// Wrap lets a request in unless the gateway is shutting down.
func (g *Gateway) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.enter(); err != nil {
			w.Header().Set("Connection", "close")
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		defer g.leave()
		g.served.Add(1)
		next.ServeHTTP(w, r)
	})
}

// Handler returns the routes of the service.
func (g *Gateway) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /orders", g.Wrap(http.HandlerFunc(g.createOrder)))
	mux.HandleFunc("GET /healthz", g.health)
	return mux
}

func (g *Gateway) createOrder(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		http.Error(w, "cannot read body", http.StatusBadRequest)
		return
	}
	var o Order
	if err := json.Unmarshal(body, &o); err != nil || o.Customer == "" {
		http.Error(w, "not an order", http.StatusBadRequest)
		return
	}
	id, err := g.store.Insert(r.Context(), o)
	if err != nil {
		http.Error(w, "cannot store order", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintln(w, id)
}

func (g *Gateway) health(w http.ResponseWriter, _ *http.Request) {
	if g.draining.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintf(w, "ok served=%d\n", g.served.Load())
}

// Shutdown refuses new requests, waits for those in flight and closes the store.
func (g *Gateway) Shutdown(ctx context.Context) error {
	if !g.draining.CompareAndSwap(false, true) {
		return ErrDraining
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for g.inflight.Load() > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("gateway: %d requests in flight: %w", g.inflight.Load(), ctx.Err())
		}
	}
	return g.store.Close()
}
