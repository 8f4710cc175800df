// Package bug serves queries from a backend and drains before it closes it.
package bug

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// ErrDraining is returned once shutdown has begun.
var ErrDraining = errors.New("server is draining")

type gate struct {
	draining atomic.Bool
	inflight atomic.Int64
}

func (g *gate) enter() bool {
	if g.draining.Load() {
		return false
	}
	g.inflight.Add(1)
	return true
}

func (g *gate) leave() {
	g.inflight.Add(-1)
}

func (g *gate) drain(ctx context.Context) error {
	g.draining.Store(true)
	t := time.NewTicker(5 * time.Millisecond)
	defer t.Stop()
	for g.inflight.Load() != 0 {
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Backend is what queries run on. It must not be used once it is closed.
type Backend interface {
	Query(ctx context.Context, q string) ([]byte, error)
	Close() error
}

// Server admits queries until it is shut down.
type Server struct {
	gate    gate
	backend Backend
	served  atomic.Uint64
	failed  atomic.Uint64
	stopped atomic.Bool
}

// NewServer returns a server on backend, which it owns.
func NewServer(backend Backend) *Server {
	return &Server{backend: backend}
}

func (s *Server) admit(fn func() error) error {
	if !s.gate.enter() {
		return ErrDraining
	}
	defer s.gate.leave()
	err := fn()
	if err != nil {
		s.failed.Add(1)
	} else {
		s.served.Add(1)
	}
	return err
}

// Query runs one query.
func (s *Server) Query(ctx context.Context, q string) (out []byte, err error) {
	err = s.admit(func() error {
		var qerr error
		out, qerr = s.backend.Query(ctx, q)
		return qerr
	})
	return out, err
}

// Batch runs several queries as one request.
func (s *Server) Batch(ctx context.Context, qs []string) ([][]byte, error) {
	out := make([][]byte, len(qs))
	err := s.admit(func() error {
		for i, q := range qs {
			b, err := s.backend.Query(ctx, q)
			if err != nil {
				return err
			}
			out[i] = b
		}
		return nil
	})
	return out, err
}

// Stats returns how many requests went well and how many did not.
func (s *Server) Stats() (served, failed uint64) {
	return s.served.Load(), s.failed.Load()
}

// Shutdown waits for the requests in flight and closes the backend.
func (s *Server) Shutdown(ctx context.Context) error {
	if !s.stopped.CompareAndSwap(false, true) {
		return nil
	}
	if err := s.gate.drain(ctx); err != nil {
		s.stopped.Store(false)
		return err
	}
	return s.backend.Close()
}
