package license

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

var (
	ErrRevoked = errors.New("license: revoked")
	ErrUnknown = errors.New("license: unknown key")
)

// License is an entry of the customer database. Entries do not change, they
// can only be revoked.
type License struct {
	Key      string
	Customer string
	Until    time.Time
}

// Database is the slow source of truth.
type Database interface {
	Find(ctx context.Context, key string) (License, error)
	MarkRevoked(ctx context.Context, key string) error
}

// Server answers the activation requests of installed products.
type Server struct {
	db Database

	mu      sync.Mutex
	cached  map[string]License
	revoked map[string]struct{} // never shrinks, a key is not issued twice
}

// NewServer starts with the keys that were revoked in the past.
func NewServer(db Database, revoked []string) *Server {
	s := &Server{db: db, cached: make(map[string]License), revoked: make(map[string]struct{})}
	for _, key := range revoked {
		s.revoked[key] = struct{}{}
	}
	return s
}

func (s *Server) peek(key string) (License, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.cached[key]
	return l, ok
}

func (s *Server) remember(l License) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, dead := s.revoked[l.Key]; dead {
		return ErrRevoked
	}
	s.cached[l.Key] = l
	return nil
}

// Activate checks a key.
func (s *Server) Activate(ctx context.Context, key string) (License, error) {
	l, ok := s.peek(key)
	if !ok {
		var err error
		if l, err = s.db.Find(ctx, key); err != nil {
			return License{}, err
		}
		if err = s.remember(l); err != nil {
			return License{}, err
		}
	}
	if time.Now().After(l.Until) {
		return License{}, ErrUnknown
	}
	return l, nil
}

// Revoke makes a key invalid for good.
func (s *Server) Revoke(ctx context.Context, key string) error {
	if err := s.db.MarkRevoked(ctx, key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked[key] = struct{}{}
	delete(s.cached, key)
	return nil
}

// Handler serves the products and the sales department.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /licenses/{key}", func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.Activate(r.Context(), r.PathValue("key")); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
		}
	})
	mux.HandleFunc("DELETE /licenses/{key}", func(w http.ResponseWriter, r *http.Request) {
		if err := s.Revoke(r.Context(), r.PathValue("key")); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	return mux
}
