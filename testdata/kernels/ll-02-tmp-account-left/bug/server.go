package server

import (
	"errors"
	"sync"
	"time"
)

var (
	ErrMissingAccount = errors.New("account missing")
	ErrAccountExpired = errors.New("account expired")
)

type AccountClaims struct {
	Subject string
	Imports []string
	Expires time.Time
	Revoked map[string]time.Time
}

// AccountResolver interface. This is to fetch Account JWTs by public nkeys
type AccountResolver interface {
	Fetch(name string) (*AccountClaims, error)
}

type Account struct {
	Name string

	mu       sync.RWMutex
	srv      *Server
	imports  map[string]*Account
	revoked  map[string]time.Time
	expires  time.Time
	updated  time.Time
	clients  map[uint64]struct{}
	interest map[string]int32
}

func NewAccount(name string) *Account {
	return &Account{Name: name, imports: make(map[string]*Account)}
}

func (a *Account) IsExpired() bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return !a.expires.IsZero() && time.Now().After(a.expires)
}

type Server struct {
	mu          sync.Mutex
	resolver    AccountResolver
	accounts    sync.Map
	tmpAccounts sync.Map // Temporarily stores accounts that are being built
	tracked     map[string]struct{}
}

func New(r AccountResolver) *Server {
	return &Server{resolver: r, tracked: make(map[string]struct{})}
}

// LookupAccount is called for each client that connects and for each
// subscription request of a gateway, on the goroutine of the connection.
func (s *Server) LookupAccount(name string) (*Account, error) {
	return s.lookupAccount(name)
}

// lookupAccount is a function to return the account structure
// associated with an account name.
// Lock MUST NOT be held upon entry.
func (s *Server) lookupAccount(name string) (*Account, error) {
	var acc *Account
	if v, ok := s.accounts.Load(name); ok {
		acc = v.(*Account)
	} else if v, ok := s.tmpAccounts.Load(name); ok {
		acc = v.(*Account)
	}
	if acc != nil {
		// If we are expired and we have a resolver, then
		// return the latest information from the resolver.
		if acc.IsExpired() {
			if err := s.updateAccount(acc); err != nil {
				// This error could mask expired, so just return expired here.
				return nil, ErrAccountExpired
			}
		}
		return acc, nil
	}
	// If we have a resolver see if it can fetch the account.
	if s.resolver == nil {
		return nil, ErrMissingAccount
	}
	return s.fetchAccount(name)
}

// This will fetch new claims and if found update the account with new claims.
func (s *Server) updateAccount(acc *Account) error {
	acc.mu.Lock()
	if time.Since(acc.updated) < time.Second {
		acc.mu.Unlock()
		return ErrAccountExpired
	}
	acc.updated = time.Now()
	acc.mu.Unlock()
	claims, err := s.resolver.Fetch(acc.Name)
	if err != nil {
		return err
	}
	s.updateAccountClaims(acc, claims)
	return nil
}

// This will fetch an account from a resolver if defined.
// Lock is NOT held upon entry.
func (s *Server) fetchAccount(name string) (*Account, error) {
	claims, err := s.resolver.Fetch(name)
	if err != nil {
		return nil, err
	}
	if claims == nil {
		return nil, ErrMissingAccount
	}
	acc := s.buildInternalAccount(claims)
	// Due to possible race, if registerAccount() returns a non
	// nil account, it means the same account was already
	// registered and we should use this one.
	if racc := s.registerAccount(acc); racc != nil {
		// Update with the new claims in case they are new.
		s.updateAccountClaims(racc, claims)
		return racc, nil
	}
	return acc, nil
}

// Helper to build an internal account structure from a jwt.AccountClaims.
// Lock MUST NOT be held upon entry.
func (s *Server) buildInternalAccount(ac *AccountClaims) *Account {
	acc := NewAccount(ac.Subject)
	// Set this here since otherwise we cannot loop back to ourselves
	// via imports of accounts that import this one.
	s.tmpAccounts.Store(ac.Subject, acc)
	s.updateAccountClaims(acc, ac)
	return acc
}

// updateAccountClaims will update an existing account with new claims.
// This will replace any exports or imports previously defined.
func (s *Server) updateAccountClaims(a *Account, ac *AccountClaims) {
	imports := make(map[string]*Account, len(ac.Imports))
	for _, name := range ac.Imports {
		if ia, err := s.lookupAccount(name); err == nil {
			imports[name] = ia
		}
	}
	a.mu.Lock()
	a.imports = imports
	a.expires = ac.Expires
	a.revoked = ac.Revoked
	a.updated = time.Now()
	a.mu.Unlock()
}

// Registers an account in the server.
func (s *Server) registerAccount(acc *Account) *Account {
	s.mu.Lock()
	racc := s.registerAccountNoLock(acc)
	s.mu.Unlock()
	return racc
}

// Registers an account in the server.
// Due to some locking considerations, we may end-up trying
// to register the same account twice. This function will
// then return the already registered account.
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
		acc.clients = make(map[uint64]struct{})
	}
	acc.interest = make(map[string]int32)
	acc.srv = s
	acc.mu.Unlock()
	s.accounts.Store(acc.Name, acc)
	s.tmpAccounts.Delete(acc.Name)
	s.tracked[acc.Name] = struct{}{}
	return nil
}

// RemoveAccount is called when the resolver has dropped the account.
func (s *Server) RemoveAccount(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accounts.Delete(name)
	delete(s.tracked, name)
}
