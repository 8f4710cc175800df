// Package fix loads accounts of a messaging server when they are needed.
package fix

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

var (
	ErrMissing    = errors.New("account missing")
	ErrSameClaims = errors.New("no change of the claims")
	ErrTooSoon    = errors.New("account was updated too recently")
)

// Resolver finds the signed claims of accounts.
type Resolver interface {
	Fetch(name string) (string, error)
}

// Claims are what an account may do.
type Claims struct {
	Name     string
	MaxConns int
	Issued   time.Time
	Expires  time.Time
}

func decodeClaims(token string) (*Claims, error) {
	c := new(Claims)
	if err := json.Unmarshal([]byte(token), c); err != nil {
		return nil, fmt.Errorf("account claims: %w", err)
	}
	return c, nil
}

// Account is used by the clients that belong to it.
type Account struct {
	Name string

	// guarded by the lock of the server
	claims  *Claims
	token   string
	updated time.Time
	clients int
}

// Server owns the accounts.
type Server struct {
	mu       sync.Mutex
	accounts map[string]*Account
	resolver Resolver
}

// NewServer returns a server without accounts.
func NewServer(r Resolver) *Server {
	return &Server{accounts: make(map[string]*Account), resolver: r}
}

// Join adds a client to an account.
func (s *Server) Join(name string) (*Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	acc, err := s.lookupAccount(name)
	if err != nil {
		return nil, err
	}
	if acc.claims.MaxConns > 0 && acc.clients >= acc.claims.MaxConns {
		return nil, fmt.Errorf("account %s: too many connections", name)
	}
	acc.clients++
	return acc, nil
}

// Leave removes a client from its account.
func (s *Server) Leave(acc *Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	acc.clients--
}

// lookupAccount finds or loads an account. Lock is held on entry.
func (s *Server) lookupAccount(name string) (*Account, error) {
	if acc := s.accounts[name]; acc != nil {
		if acc.expired() {
			if err := s.updateAccount(acc); err != nil {
				return nil, err
			}
		}
		return acc, nil
	}
	if s.resolver == nil {
		return nil, ErrMissing
	}
	return s.fetchAccount(name)
}

func (a *Account) expired() bool {
	return !a.claims.Expires.IsZero() && time.Now().After(a.claims.Expires)
}

// updateAccount gets new claims. Lock is held on entry.
func (s *Server) updateAccount(acc *Account) error {
	if time.Since(acc.updated) < time.Second {
		return ErrTooSoon
	}
	acc.updated = time.Now()
	token, err := s.fetchToken(acc.Name)
	if err != nil {
		return err
	}
	return s.updateWithToken(acc, token)
}

// updateWithToken applies claims unless newer ones were applied before. Lock is
// held on entry.
func (s *Server) updateWithToken(acc *Account, token string) error {
	if acc.token == token {
		return ErrSameClaims
	}
	claims, err := decodeClaims(token)
	if err != nil {
		return err
	}
	if claims.Issued.Before(acc.claims.Issued) {
		return nil
	}
	acc.claims, acc.token = claims, token
	return nil
}

// fetchToken asks the resolver. Lock is held on entry and on return.
func (s *Server) fetchToken(name string) (string, error) {
	resolver := s.resolver
	// The fetch itself is done without the lock.
	s.mu.Unlock()
	start := time.Now()
	token, err := resolver.Fetch(name)
	took := time.Since(start)
	s.mu.Lock()
	if err != nil {
		log.Printf("fetching account %s failed after %v: %v", name, took, err)
	}
	return token, err
}

// fetchAccount loads an account. Lock is held on entry.
func (s *Server) fetchAccount(name string) (*Account, error) {
	token, err := s.fetchToken(name)
	if err != nil {
		return nil, err
	}
	claims, err := decodeClaims(token)
	if err != nil {
		return nil, err
	}
	// The lock was released during the fetch, so look again.
	if acc := s.accounts[name]; acc != nil {
		if err := s.updateWithToken(acc, token); err != nil && err != ErrSameClaims {
			return nil, err
		}
		return acc, nil
	}
	acc := &Account{Name: name, claims: claims, token: token, updated: time.Now()}
	s.accounts[name] = acc
	return acc, nil
}
