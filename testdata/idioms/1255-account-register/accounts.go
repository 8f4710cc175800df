package server

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrMissingAccount    = errors.New("account missing")
	ErrAccountValidation = errors.New("account validation failed")
)

// Account are subject namespace definitions. By default no messages are shared between accounts.
type Account struct {
	Name    string
	mu      sync.RWMutex
	claim   string
	updated time.Time
	clients map[*client]struct{}
	mconns  int
	expired bool
}

func NewAccount(name string) *Account {
	return &Account{Name: name, mconns: -1}
}

type client struct {
	id uint64
}

// addClient keeps our accounting of local active clients updated.
func (a *Account) addClient(c *client) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.expired {
		return ErrAccountValidation
	}
	if a.mconns >= 0 && len(a.clients) >= a.mconns {
		return errors.New("maximum account active connections exceeded")
	}
	a.clients[c] = struct{}{}
	return nil
}

func (a *Account) removeClient(c *client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.clients, c)
}

// NumLocalConnections returns active number of clients for this account.
func (a *Account) NumLocalConnections() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return len(a.clients)
}

// AccountResolver interface. This is to fetch Account JWTs by public nkeys.
type AccountResolver interface {
	Fetch(name string) (string, error)
}

// Server is our main struct.
type Server struct {
	mu          sync.RWMutex
	accounts    sync.Map
	accResolver AccountResolver
}

func NewServer(ar AccountResolver) *Server {
	return &Server{accResolver: ar}
}

// NumLoadedAccounts returns the number of loaded accounts.
func (s *Server) NumLoadedAccounts() int {
	n := 0
	s.accounts.Range(func(_, _ any) bool {
		n++
		return true
	})
	return n
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
func (s *Server) lookupAccount(name string) (*Account, error) {
	if v, ok := s.accounts.Load(name); ok {
		acc := v.(*Account)
		acc.mu.RLock()
		expired := acc.expired
		acc.mu.RUnlock()
		if expired {
			return nil, ErrAccountValidation
		}
		return acc, nil
	}
	// If we have a resolver see if it can fetch the account.
	if s.accResolver == nil {
		return nil, ErrMissingAccount
	}
	return s.fetchAccount(name)
}

// fetchAccountClaims will attempt to fetch new claims if a resolver is present.
// Lock is NOT held upon entry.
func (s *Server) fetchAccountClaims(name string) (string, error) {
	claimJWT, err := s.accResolver.Fetch(name)
	if err != nil {
		return "", err
	}
	if claimJWT == "" {
		return "", ErrMissingAccount
	}
	return claimJWT, nil
}

// This will fetch an account from a resolver if defined.
// Lock is NOT held upon entry.
func (s *Server) fetchAccount(name string) (*Account, error) {
	claimJWT, err := s.fetchAccountClaims(name)
	if err != nil {
		return nil, err
	}
	acc := NewAccount(name)
	acc.claim = claimJWT
	// Due to possible race, if registerAccount() returns a non
	// nil account, it means the same account was already
	// registered and we should use this one.
	if racc := s.registerAccount(acc); racc != nil {
		return racc, nil
	}
	return acc, nil
}

// registerAccount will register an account. Returns an existing
// account if one was already registered under that name.
func (s *Server) registerAccount(acc *Account) *Account {
	s.mu.Lock()
	racc := s.registerAccountNoLock(acc)
	s.mu.Unlock()
	return racc
}

// Helper to set the sublist based on preferences. Server lock is held on entry.
func (s *Server) registerAccountNoLock(acc *Account) *Account {
	// We are under the server lock. Lookup from map, if present
	// return existing account.
	if a, _ := s.accounts.Load(acc.Name); a != nil {
		return a.(*Account)
	}
	// Finish account setup and store.
	acc.mu.Lock()
	if acc.clients == nil {
		acc.clients = make(map[*client]struct{})
	}
	acc.updated = time.Now()
	acc.mu.Unlock()

	s.accounts.Store(acc.Name, acc)
	return nil
}

// bindClient registers a new connection with its account.
func (s *Server) bindClient(c *client, name string) (*Account, error) {
	acc, err := s.lookupAccount(name)
	if err != nil {
		return nil, err
	}
	if err := acc.addClient(c); err != nil {
		return nil, err
	}
	return acc, nil
}

// expireAccount is called by the timer of the claim. The account stays registered.
func (s *Server) expireAccount(acc *Account) {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	acc.expired = true
	clear(acc.clients)
}
