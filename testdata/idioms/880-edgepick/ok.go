// Package edge spreads media requests over the edge caches of a site. Any
// edge can serve any request; a busy edge is only slower.
package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// ErrNoEdge is returned when the site has no edges.
var ErrNoEdge = errors.New("edge: no edges")

// Backend fetches an object from an edge cache.
type Backend interface {
	Open(ctx context.Context, path string) (io.ReadCloser, error)
}

// Edge is one cache.
type Edge struct {
	Name    string
	Backend Backend

	open     atomic.Int64 // objects being sent
	requests atomic.Int64
	failures atomic.Int64
	busyNano atomic.Int64
}

// Balancer sends requests to the edge with the least to do. It is safe for
// concurrent use.
type Balancer struct {
	edges []*Edge // fixed
}

// NewBalancer returns a balancer for the given edges.
func NewBalancer(edges ...*Edge) *Balancer {
	return &Balancer{edges: append([]*Edge(nil), edges...)}
}

// pick compares two random edges and returns the one that is less busy.
func (b *Balancer) pick() (*Edge, error) {
	if len(b.edges) == 0 {
		return nil, ErrNoEdge
	}
	x := b.edges[rand.IntN(len(b.edges))]
	y := b.edges[rand.IntN(len(b.edges))]
	if y.open.Load() < x.open.Load() {
		return y, nil
	}
	return x, nil
}

// object counts as open on its edge until it is closed.
type object struct {
	io.ReadCloser
	edge   *Edge
	start  time.Time
	closed atomic.Bool
}

// Close implements io.Closer.
func (o *object) Close() error {
	if !o.closed.CompareAndSwap(false, true) {
		return nil
	}
	o.edge.open.Add(-1)
	o.edge.busyNano.Add(int64(time.Since(o.start)))
	return o.ReadCloser.Close()
}

// Open opens an object on one of the edges.
func (b *Balancer) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	e, err := b.pick()
	if err != nil {
		return nil, err
	}
	e.open.Add(1)
	e.requests.Add(1)
	start := time.Now()
	rc, err := e.Backend.Open(ctx, path)
	if err != nil {
		e.open.Add(-1)
		e.failures.Add(1)
		return nil, fmt.Errorf("edge: %s: %w", e.Name, err)
	}
	return &object{ReadCloser: rc, edge: e, start: start}, nil
}

// Row is a line of the operations dashboard.
type Row struct {
	Edge     string
	Open     int64
	Requests int64
	Failures int64
	MeanTime time.Duration // approximate
}

// Dashboard returns the figures of every edge, for display.
func (b *Balancer) Dashboard() []Row {
	rows := make([]Row, 0, len(b.edges))
	for _, e := range b.edges {
		r := Row{
			Edge:     e.Name,
			Open:     e.open.Load(),
			Requests: e.requests.Load(),
			Failures: e.failures.Load(),
		}
		if r.Requests > 0 {
			r.MeanTime = time.Duration(e.busyNano.Load() / r.Requests)
		}
		rows = append(rows, r)
	}
	return rows
}
