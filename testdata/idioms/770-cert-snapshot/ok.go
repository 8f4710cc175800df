// Package certs selects TLS certificates for a proxy by server name.
package certs

import (
	"crypto/tls"
	"errors"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrNoCertificate is returned when no certificate fits and there is no
// fallback.
var ErrNoCertificate = errors.New("certs: no certificate for server name")

// ErrFallback is returned when the fallback name is to be removed.
var ErrFallback = errors.New("certs: name is the fallback")

// bundle is immutable once it has been published.
type bundle struct {
	byName   map[string]*tls.Certificate
	fallback string
}

// Store holds the certificates. Handshakes never block on changes.
type Store struct {
	writeMu sync.Mutex
	cur     atomic.Pointer[bundle]
}

// NewStore returns an empty store.
func NewStore() *Store {
	s := &Store{}
	s.cur.Store(&bundle{byName: map[string]*tls.Certificate{}})
	return s
}

// GetCertificate is meant for tls.Config.
func (s *Store) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	b := s.cur.Load()
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if c, ok := b.byName[name]; ok {
		return c, nil
	}
	if _, parent, ok := strings.Cut(name, "."); ok {
		if c, ok := b.byName["*."+parent]; ok {
			return c, nil
		}
	}
	if b.fallback == "" {
		return nil, ErrNoCertificate
	}
	return b.byName[b.fallback], nil
}

// Set adds or replaces the certificate of name.
func (s *Store) Set(name string, c *tls.Certificate) {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	next := s.clone()
	next.byName[strings.ToLower(name)] = c
	s.cur.Store(next)
}

// SetFallback chooses the certificate for clients that send no known name.
func (s *Store) SetFallback(name string) error {
	name = strings.ToLower(name)
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if _, ok := s.cur.Load().byName[name]; !ok {
		return ErrNoCertificate
	}
	next := s.clone()
	next.fallback = name
	s.cur.Store(next)
	return nil
}

// Remove deletes the certificate of name.
func (s *Store) Remove(name string) error {
	name = strings.ToLower(name)
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if s.cur.Load().fallback == name {
		return ErrFallback
	}
	next := s.clone()
	delete(next.byName, name)
	s.cur.Store(next)
	return nil
}

// Names returns how many names are served.
func (s *Store) Names() int { return len(s.cur.Load().byName) }

// clone copies the current bundle. The caller holds writeMu.
func (s *Store) clone() *bundle {
	old := s.cur.Load()
	return &bundle{byName: maps.Clone(old.byName), fallback: old.fallback}
}
