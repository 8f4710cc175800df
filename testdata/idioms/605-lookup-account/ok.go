// Package server looks up accounts, which are fetched when they are needed.
package server

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrMissingAccount   = errors.New("account missing")
	ErrAccountExpired   = errors.New("account expired")
	ErrAccountUnchanged = errors.New("account unchanged")
)

// AccountClaims is what the resolver knows about an account.
type AccountClaims struct {
	IssuedAt int64
	Expires  time.Time
	MaxConns int
}

// AccountResolver fetches claims; it may be slow.
type AccountResolver interface {
	Fetch(name string) (*AccountClaims, error)
}

// Account are subject namespace definitions.
type Account struct {
	Name string

	mu      sync.RWMutex
	issued  int64
	expires time.Time
	mconns  int
	clients map[uint64]struct{}
	updated time.Time
}

// IsExpired returns expiration status.
func (a *Account) IsExpired() bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return !a.expires.IsZero() && time.Now().After(a.expires)
}

// AddClient registers a client, unless there are too many.
func (a *Account) AddClient(cid uint64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mconns > 0 && len(a.clients) >= a.mconns {
		return false
	}
	a.clients[cid] = struct{}{}
	return true
}

// RemoveClient removes a client.
func (a *Account) RemoveClient(cid uint64) {
	a.mu.Lock()
	delete(a.clients, cid)
	a.mu.Unlock()
}

// Server has the accounts.
type Server struct {
	accResolver AccountResolver

	mu       sync.Mutex
	accounts sync.Map // name to *Account, stored under the lock
	nacc     int
}

// New returns a server without accounts.
func New(r AccountResolver) *Server { return &Server{accResolver: r} }

// NumAccounts returns the number of accounts.
func (s *Server) NumAccounts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nacc
}

// LookupAccount is a public function to return the account structure
// associated with name. If it is not known, or has expired, its claims are
// fetched.
func (s *Server) LookupAccount(name string) (*Account, error) {
	if v, ok := s.accounts.Load(name); ok {
		acc := v.(*Account)
		// If we are expired and we have a resolver, then
		// return the latest information from the resolver.
		if acc.IsExpired() {
			claims, err := s.accResolver.Fetch(name)
			if err != nil {
				return nil, err
			}
			if err := s.updateAccountWithClaims(acc, claims); err != nil && err != ErrAccountUnchanged {
				return nil, err
			}
			if acc.IsExpired() {
				return nil, ErrAccountExpired
			}
		}
		return acc, nil
	}
	return s.fetchAccount(name)
}

// LookupOrRegisterAccount will return the given account if known or create a new entry.
func (s *Server) LookupOrRegisterAccount(name string) (account *Account, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.accounts.Load(name); ok {
		return v.(*Account), false
	}
	acc := newAccount(name)
	s.registerAccountNoLock(acc)
	return acc, true
}

// This will fetch an account from a resolver if defined.
// Lock is NOT held upon entry.
func (s *Server) fetchAccount(name string) (*Account, error) {
	claims, err := s.accResolver.Fetch(name)
	if err != nil {
		return nil, err
	}
	if claims == nil {
		return nil, ErrMissingAccount
	}
	acc := s.buildInternalAccount(name, claims)
	// Due to possible race, if registerAccount() returns a non
	// nil account, it means the same account was already
	// registered and we should use this one.
	if racc := s.registerAccount(acc); racc != nil {
		// Update with the new claims in case they are new.
		if err = s.updateAccountWithClaims(racc, claims); err != nil && err != ErrAccountUnchanged {
			return nil, err
		}
		return racc, nil
	}
	return acc, nil
}

// updateAccountWithClaims changes an account, if the claims are newer.
func (s *Server) updateAccountWithClaims(acc *Account, claims *AccountClaims) error {
	if claims == nil {
		return ErrMissingAccount
	}
	acc.mu.Lock()
	defer acc.mu.Unlock()
	if claims.IssuedAt <= acc.issued {
		return ErrAccountUnchanged
	}
	acc.applyClaims(claims)
	acc.updated = time.Now()
	return nil
}

func newAccount(name string) *Account {
	return &Account{Name: name, clients: make(map[uint64]struct{})}
}

// Lock should be held, or the account not be shared yet.
func (a *Account) applyClaims(claims *AccountClaims) {
	a.issued, a.expires, a.mconns = claims.IssuedAt, claims.Expires, claims.MaxConns
}

// buildInternalAccount returns an account that is not registered yet.
func (s *Server) buildInternalAccount(name string, claims *AccountClaims) *Account {
	acc := newAccount(name)
	acc.applyClaims(claims)
	return acc
}

// registerAccount will register the given account.
// Returns the existing account if there is one with this name already.
func (s *Server) registerAccount(acc *Account) *Account {
	s.mu.Lock()
	racc := s.registerAccountNoLock(acc)
	s.mu.Unlock()
	return racc
}

// Lock should be held.
func (s *Server) registerAccountNoLock(acc *Account) *Account {
	// We are under the server lock. Lookup from map, if present
	// return existing account.
	if a, _ := s.accounts.Load(acc.Name); a != nil {
		return a.(*Account)
	}
	acc.mu.Lock()
	acc.updated = time.Now()
	acc.mu.Unlock()
	s.accounts.Store(acc.Name, acc)
	s.nacc++
	return nil
}
