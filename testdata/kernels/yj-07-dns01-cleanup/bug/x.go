// Package dns01 solves ACME DNS-01 challenges with the built-in name server.
package dns01

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server answers TXT queries for challenge names.
type Server struct {
	mu  sync.RWMutex
	txt map[string][]string
}

// NewServer returns a server without records.
func NewServer() *Server {
	return &Server{txt: make(map[string][]string)}
}

// TXT returns the values for a name.
func (s *Server) TXT(fqdn string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.txt[strings.ToLower(fqdn)])
}

func (s *Server) add(fqdn, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.txt[fqdn] = append(s.txt[fqdn], value)
}

func (s *Server) remove(fqdn, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.txt, fqdn)
}

// Challenge is one authorisation of an order.
type Challenge struct {
	Domain  string // "example.org" or "*.example.org"
	Token   string
	Account string // thumbprint of the account key
}

// Authority is the ACME client.
type Authority interface {
	Accept(ctx context.Context, c Challenge) error
	Status(ctx context.Context, c Challenge) (string, error)
}

// Solver drives challenges to a final state.
type Solver struct {
	server *Server
	ca     Authority
	poll   time.Duration
}

// NewSolver returns a solver. Orders may be solved concurrently.
func NewSolver(server *Server, ca Authority, poll time.Duration) *Solver {
	return &Solver{server: server, ca: ca, poll: poll}
}

// record returns name and value of the TXT record that proves control. The
// wildcard of a domain is validated at the same name as the domain.
func record(c Challenge) (fqdn, value string) {
	host := strings.ToLower(strings.TrimPrefix(c.Domain, "*."))
	sum := sha256.Sum256([]byte(c.Token + "." + c.Account))
	return "_acme-challenge." + host + ".", base64.RawURLEncoding.EncodeToString(sum[:])
}

// Solve presents the record, asks for validation and waits for the outcome.
func (s *Solver) Solve(ctx context.Context, c Challenge) error {
	fqdn, value := record(c)
	s.server.add(fqdn, value)
	defer s.server.remove(fqdn, value)

	if err := s.ca.Accept(ctx, c); err != nil {
		return fmt.Errorf("dns01: accept %s: %w", c.Domain, err)
	}
	t := time.NewTicker(s.poll)
	defer t.Stop()
	for {
		status, err := s.ca.Status(ctx, c)
		if err != nil {
			return err
		}
		switch status {
		case "valid":
			return nil
		case "invalid":
			return fmt.Errorf("dns01: validation of %s failed", c.Domain)
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// SolveAll solves the challenges of an order at the same time.
func (s *Solver) SolveAll(ctx context.Context, cs []Challenge) error {
	errs := make(chan error, len(cs))
	for _, c := range cs {
		go func() { errs <- s.Solve(ctx, c) }()
	}
	var first error
	for range cs {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}
