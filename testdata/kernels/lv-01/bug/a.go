// Package server holds the accounts of a messaging server.
package server

import (
	"errors"
	"sync"
)

var (
	ErrAccountExists  = errors.New("account exists")
	ErrNoResolver     = errors.New("account resolver missing")
	ErrMissingAccount = errors.New("account missing")
)

// AccountResolver fetches the claims of accounts that are not known locally.
type AccountResolver interface {
	Fetch(name string) (string, error)
}

type client struct {
	cid uint64
}

// Account isolates the subjects of a group of clients.
type Account struct {
	Name     string
	mu       sync.RWMutex
	clients  map[*client]struct{}
	claimJWT string
	rm       map[string]int32
}

// NewAccount creates an account that no server knows yet.
func NewAccount(name string) *Account {
	return &Account{Name: name}
}

// NumConnections returns the number of clients of the account.
func (a *Account) NumConnections() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return len(a.clients)
}

func (a *Account) addClient(c *client) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.clients)
	a.clients[c] = struct{}{}
	return n
}

// Server routes messages between the clients of accounts.
type Server struct {
	mu          sync.Mutex
	accounts    sync.Map // name -> *Account
	accResolver AccountResolver
	tracked     map[string]int
	gcid        uint64
}

// New returns a server without accounts.
func New(ar AccountResolver) *Server {
	return &Server{accResolver: ar, tracked: make(map[string]int)}
}

func (s *Server) numAccounts() int {
	count := 0
	s.mu.Lock()
	s.accounts.Range(func(_, _ any) bool {
		count++
		return true
	})
	s.mu.Unlock()
	return count
}

// LookupOrRegisterAccount will return the given account if known or create a new entry.
func (s *Server) LookupOrRegisterAccount(name string) (account *Account, isNew bool) {
	if v, ok := s.accounts.Load(name); ok {
		return v.(*Account), false
	}
	acc := NewAccount(name)
	s.registerAccount(acc)
	return acc, true
}

// RegisterAccount will register an account. The account must be new
// or this call will fail.
func (s *Server) RegisterAccount(name string) (*Account, error) {
	if _, ok := s.accounts.Load(name); ok {
		return nil, ErrAccountExists
	}
	acc := NewAccount(name)
	s.registerAccount(acc)
	return acc, nil
}

// registerAccount invokes registerAccountNoLock under the server lock.
func (s *Server) registerAccount(acc *Account) {
	s.mu.Lock()
	s.registerAccountNoLock(acc)
	s.mu.Unlock()
}

// Place common account setup here. Lock should be held on entry.
func (s *Server) registerAccountNoLock(acc *Account) {
	acc.mu.Lock()
	if acc.clients == nil {
		acc.clients = make(map[*client]struct{})
	}
	if acc.rm == nil {
		acc.rm = make(map[string]int32)
	}
	acc.mu.Unlock()
	s.accounts.Store(acc.Name, acc)
	s.tracked[acc.Name]++
}

// lookupAccount finds an account locally or by means of the resolver.
func (s *Server) lookupAccount(name string) (*Account, error) {
	if v, ok := s.accounts.Load(name); ok {
		return v.(*Account), nil
	}
	return s.fetchAccount(name)
}

func (s *Server) fetchAccount(name string) (*Account, error) {
	s.mu.Lock()
	ar := s.accResolver
	s.mu.Unlock()
	if ar == nil {
		return nil, ErrNoResolver
	}
	claimJWT, err := ar.Fetch(name)
	if err != nil {
		return nil, err
	}
	if claimJWT == "" {
		return nil, ErrMissingAccount
	}
	acc := NewAccount(name)
	acc.claimJWT = claimJWT
	if v, ok := s.accounts.Load(name); ok {
		return v.(*Account), nil
	}
	s.registerAccount(acc)
	return acc, nil
}

// Connect binds a new client to an account and returns its id.
func (s *Server) Connect(account string) (uint64, error) {
	acc, err := s.lookupAccount(account)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	s.gcid++
	c := &client{cid: s.gcid}
	s.mu.Unlock()
	acc.addClient(c)
	return c.cid, nil
}
