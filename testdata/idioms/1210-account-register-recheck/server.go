package server

import (
	"errors"
	"sync"
	"time"
)

var ErrMissingAccount = errors.New("account missing")

// Account are subject namespace definitions.
type Account struct {
	mu       sync.RWMutex
	Name     string
	claimJWT string
	issued   time.Time
	srv      *Server
	clients  map[string]struct{}
	updated  time.Time
	expired  bool
}

// NewAccount creates a new unlimited account with the given name.
func NewAccount(name string) *Account {
	return &Account{Name: name}
}

// IsExpired returns expiration status.
func (a *Account) IsExpired() bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.expired
}

// AccountResolver interface. This is to fetch Account JWTs by public nkeys
type AccountResolver interface {
	Fetch(name string) (claimJWT string, issued time.Time, err error)
}

// Server is our main struct.
type Server struct {
	mu          sync.RWMutex
	accounts    sync.Map
	accResolver AccountResolver
	ntracked    int
}

// LookupOrRegisterAccount will return the given account if known or create a new entry.
func (s *Server) LookupOrRegisterAccount(name string) (account *Account, isNew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.accounts.Load(name); ok {
		return v.(*Account), false
	}
	acc := NewAccount(name)
	s.registerAccountNoLock(acc)
	return acc, true
}

// lookupAccount is a function to return the account structure
// associated with an account name.
// Lock MUST NOT be held upon entry.
func (s *Server) lookupAccount(name string) (*Account, error) {
	if v, ok := s.accounts.Load(name); ok {
		return v.(*Account), nil
	}
	// If we have a resolver see if it can fetch the account.
	if s.AccountResolver() == nil {
		return nil, ErrMissingAccount
	}
	return s.fetchAccount(name)
}

// AccountResolver returns the registered account resolver.
func (s *Server) AccountResolver() AccountResolver {
	s.mu.RLock()
	ar := s.accResolver
	s.mu.RUnlock()
	return ar
}

// This will fetch an account from a resolver if defined.
// Lock is NOT held upon entry.
func (s *Server) fetchAccount(name string) (*Account, error) {
	claimJWT, issued, err := s.AccountResolver().Fetch(name)
	if err != nil {
		return nil, err
	}
	acc := NewAccount(name)
	acc.claimJWT, acc.issued = claimJWT, issued
	// Due to possible race, if registerAccount() returns a non
	// nil account, it means the same account was already
	// registered and we should use this one.
	if racc := s.registerAccount(acc); racc != nil {
		// Update with the new claims in case they are new.
		racc.updateWithClaimJWT(claimJWT, issued)
		return racc, nil
	}
	return acc, nil
}

func (a *Account) updateWithClaimJWT(claimJWT string, issued time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !issued.After(a.issued) {
		return
	}
	a.claimJWT, a.issued = claimJWT, issued
	a.updated = time.Now()
}

// registerAccount registers the account unless it is already known.
func (s *Server) registerAccount(acc *Account) *Account {
	s.mu.Lock()
	racc := s.registerAccountNoLock(acc)
	s.mu.Unlock()
	return racc
}

// Place common account setup here.
// Lock should be held on entry.
func (s *Server) registerAccountNoLock(acc *Account) *Account {
	// We are under the server lock. Lookup from map, if present
	// return existing account.
	if a, _ := s.accounts.Load(acc.Name); a != nil {
		return a.(*Account)
	}
	// Finish account setup and store.
	acc.mu.Lock()
	if acc.clients == nil {
		acc.clients = make(map[string]struct{})
	}
	acc.srv = s
	acc.updated = time.Now()
	acc.mu.Unlock()

	s.accounts.Store(acc.Name, acc)
	s.ntracked++
	return nil
}

// NumTrackedAccounts returns how many accounts have been registered.
func (s *Server) NumTrackedAccounts() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.ntracked
}
