// Package gateway forwards payment requests to the acquirer over one shared
// session.
package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// Errors returned while requests are turned away.
var (
	ErrDraining   = errors.New("gateway: shutting down")
	ErrOverloaded = errors.New("gateway: too many requests")
)

// Session is the connection to the acquirer. It multiplexes concurrent
// requests. Submit must not be called after Close.
type Session interface {
	Submit(ctx context.Context, msg []byte) ([]byte, error)
	Close() error
}

// Stats describes the load.
type Stats struct {
	InFlight int64
	Shed     int64
}

// Server forwards requests. It is safe for concurrent use.
type Server struct {
	session Session
	gate    gate

	closeOnce sync.Once
	closeErr  error
}

// NewServer returns a server that forwards at most limit requests at a time.
func NewServer(session Session, limit int64) *Server {
	return &Server{session: session, gate: gate{limit: limit}}
}

// Forward sends msg to the acquirer and returns the answer.
func (s *Server) Forward(ctx context.Context, msg []byte) ([]byte, error) {
	if err := s.gate.enter(); err != nil {
		return nil, err
	}
	defer s.gate.leave()
	return s.session.Submit(ctx, msg)
}

// ServeHTTP is Forward over HTTP.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	msg, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := s.Forward(r.Context(), msg)
	switch {
	case errors.Is(err, ErrDraining), errors.Is(err, ErrOverloaded):
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		w.Write(answer)
	}
}

// Stats returns the current load.
func (s *Server) Stats() Stats {
	return Stats{InFlight: s.gate.inflight.Load(), Shed: s.gate.shed.Load()}
}

// Shutdown lets the running requests end and closes the session. If ctx ends
// first, the session stays open and Shutdown may be called again.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.gate.drain(ctx); err != nil {
		return err
	}
	s.closeOnce.Do(func() { s.closeErr = s.session.Close() })
	return s.closeErr
}
