package lease

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Server drives a Lessor and serves the lease API.
type Server struct {
	lessor *Lessor
	log    *slog.Logger
}

// NewServer returns a server for le.
func NewServer(le *Lessor, log *slog.Logger) *Server {
	return &Server{lessor: le, log: log}
}

// Run serves until ctx is done.
func (s *Server) Run(ctx context.Context) {
	go s.lessor.Run(ctx, 500*time.Millisecond)
	s.expireLoop(ctx)
}

func (s *Server) expireLoop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case ids := <-s.lessor.expiredC:
			for _, id := range ids {
				err := s.lessor.revokeExpired(id)
				if err != nil && !errors.Is(err, ErrLeaseNotFound) {
					s.log.Warn("revoke of expired lease", "lease", id, "err", err)
				}
			}
		}
	}
}

// KeepAlive serves one keep-alive message of a client.
func (s *Server) KeepAlive(_ context.Context, id ID) (time.Duration, error) {
	return s.lessor.Renew(id)
}

// LeaseRevoke serves the client's request to end the lease.
func (s *Server) LeaseRevoke(_ context.Context, id ID) error {
	return s.lessor.Revoke(id)
}
