// Correct: the cache is looked at in one critical section and filled in
// another, with an unlocked fetch between, but the first section leaves a call
// behind that all others wait for. Forget takes the call away, and a fetch
// whose call is no longer there does not fill the cache.

// Package ok gets certificates from an issuer, each once.
package ok

import (
	"context"
	"sync"
	"time"
)

type Cert struct {
	Name     string
	DER      []byte
	NotAfter time.Time
}

type Issuer interface {
	Issue(ctx context.Context, name string) (*Cert, error)
}

type call struct {
	done chan struct{}
	cert *Cert
	err  error
}

type Source struct {
	issuer Issuer
	margin time.Duration

	mu    sync.Mutex
	certs map[string]*Cert
	calls map[string]*call
}

func NewSource(i Issuer, margin time.Duration) *Source {
	return &Source{
		issuer: i,
		margin: margin,
		certs:  make(map[string]*Cert),
		calls:  make(map[string]*call),
	}
}

// Get returns a certificate that is good for some time yet.
func (s *Source) Get(ctx context.Context, name string) (*Cert, error) {
	s.mu.Lock()
	if c, ok := s.certs[name]; ok && time.Until(c.NotAfter) > s.margin {
		s.mu.Unlock()
		return c, nil
	}
	cl, ok := s.calls[name]
	if !ok {
		cl = &call{done: make(chan struct{})}
		s.calls[name] = cl
		go s.issue(name, cl)
	}
	s.mu.Unlock()

	select {
	case <-cl.done:
		return cl.cert, cl.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *Source) issue(name string, cl *call) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cl.cert, cl.err = s.issuer.Issue(ctx, name)

	s.mu.Lock()
	if s.calls[name] == cl {
		delete(s.calls, name)
		if cl.err == nil {
			s.certs[name] = cl.cert
		}
	}
	s.mu.Unlock()
	close(cl.done)
}

// Forget makes the next Get issue a new certificate.
func (s *Source) Forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.certs, name)
	delete(s.calls, name)
}

// Expiring lists the certificates that end within d.
func (s *Source) Expiring(d time.Duration) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for name, c := range s.certs {
		if time.Until(c.NotAfter) < d {
			out = append(out, name)
		}
	}
	return out
}
