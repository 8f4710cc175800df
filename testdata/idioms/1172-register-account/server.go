package server

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrAccountExists     = errors.New("account exists")
	ErrMissingAccount    = errors.New("account missing")
	ErrNoAccountResolver = errors.New("account resolver missing")
)

type client struct {
	mu  sync.Mutex
	cid uint64
	acc *Account
}

type Sublist struct {
	sync.RWMutex
	count uint32
}

// Account are subject namespace definitions.
type Account struct {
	Name    string
	mu      sync.RWMutex
	sl      *Sublist
	srv     *Server
	updated time.Time
	clients map[*client]struct{}
	rm      map[string]int32
}

func NewAccount(name string) *Account {
	return &Account{Name: name}
}

type AccountResolver interface {
	Fetch(name string) (string, error)
}

type Server struct {
	mu           sync.RWMutex
	gacc         *Account
	accounts     sync.Map
	tmpAccounts  sync.Map // Temporarily stores accounts that are being built
	activeAccs   atomic.Int32
	accResolver  AccountResolver
	trackingSubs bool
}

// numAccounts returns the number of accounts currently registered.
func (s *Server) numAccounts() int {
	count := 0
	s.accounts.Range(func(k, v any) bool {
		count++
		return true
	})
	return count
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

// RegisterAccount will register an account. The account must be new
// or this call will fail.
func (s *Server) RegisterAccount(name string) (*Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.accounts.Load(name); ok {
		return nil, ErrAccountExists
	}
	acc := NewAccount(name)
	s.registerAccountNoLock(acc)
	return acc, nil
}

// Place common account setup here.
func (s *Server) registerAccount(acc *Account) *Account {
	s.mu.Lock()
	racc := s.registerAccountNoLock(acc)
	s.mu.Unlock()
	return racc
}

// Helper to set the sublist based on preferences.
func (s *Server) setAccountSublist(acc *Account) {
	if acc != nil && acc.sl == nil {
		acc.sl = &Sublist{}
	}
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
		s.tmpAccounts.Delete(acc.Name)
		return a.(*Account)
	}
	// Finish account setup and store.
	s.setAccountSublist(acc)

	acc.mu.Lock()
	if acc.clients == nil {
		acc.clients = make(map[*client]struct{})
	}

	// If we are capable of routing we will track subscription
	// information for efficient interest propagation.
	if acc.rm == nil && s.trackingSubs {
		acc.rm = make(map[string]int32)
	}
	acc.srv = s
	acc.updated = time.Now().UTC()
	acc.mu.Unlock()
	s.accounts.Store(acc.Name, acc)
	s.tmpAccounts.Delete(acc.Name)
	return nil
}

// lookupAccount is a function to return the account structure
// associated with an account name.
// Lock MUST NOT be held upon entry.
func (s *Server) lookupAccount(name string) (*Account, error) {
	if v, ok := s.accounts.Load(name); ok {
		return v.(*Account), nil
	}
	return s.fetchAccount(name)
}

// fetchAccount will fetch an account from a resolver.
// Lock is NOT held upon entry.
func (s *Server) fetchAccount(name string) (*Account, error) {
	s.mu.RLock()
	resolver := s.accResolver
	s.mu.RUnlock()
	if resolver == nil {
		return nil, ErrNoAccountResolver
	}
	if _, err := resolver.Fetch(name); err != nil {
		return nil, ErrMissingAccount
	}
	acc := NewAccount(name)
	s.tmpAccounts.Store(name, acc)

	// Due to possible race, if registerAccount() returns a non
	// nil account, it means the same account was already
	// registered and we should use this one.
	if racc := s.registerAccount(acc); racc != nil {
		return racc, nil
	}
	return acc, nil
}

// registerWithAccount will register the given client with the specified account.
func (c *client) registerWithAccount(acc *Account) {
	c.mu.Lock()
	c.acc = acc
	c.mu.Unlock()

	acc.mu.Lock()
	_, exists := acc.clients[c]
	acc.clients[c] = struct{}{}
	first := !exists && len(acc.clients) == 1
	srv := acc.srv
	acc.mu.Unlock()
	if first {
		srv.activeAccs.Add(1)
	}
}
