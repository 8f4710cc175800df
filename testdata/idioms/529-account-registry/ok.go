// Package ok fetches accounts from a directory when they are first needed.
package ok

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

var errNoAccount = errors.New("no such account")

// Resolver finds the claims of an account.
type Resolver interface {
	Fetch(name string) (claims string, err error)
}

// Account is shared by all clients of the name.
type Account struct {
	Name   string
	claims string

	mu      sync.RWMutex
	clients map[uint64]struct{}
	subs    map[string]int
}

func newAccount(name, claims string) *Account {
	return &Account{Name: name, claims: claims, clients: make(map[uint64]struct{})}
}

func (a *Account) join(id uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clients[id] = struct{}{}
}

func (a *Account) leave(id uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.clients, id)
}

// Clients returns the number of clients.
func (a *Account) Clients() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return len(a.clients)
}

// Claims returns the claims, which do not change.
func (a *Account) Claims() string { return a.claims }

// Server knows the accounts.
type Server struct {
	mu       sync.Mutex
	accounts sync.Map
	resolver Resolver
	num      int
	fetches  atomic.Uint64
	nextID   atomic.Uint64
}

// NewServer returns a server without accounts.
func NewServer(r Resolver) *Server { return &Server{resolver: r} }

// Lookup returns an account. Accounts stay for the life of the server.
func (s *Server) Lookup(name string) (*Account, error) {
	if v, ok := s.accounts.Load(name); ok {
		return v.(*Account), nil
	}
	if s.resolver == nil {
		return nil, errNoAccount
	}
	return s.fetch(name)
}

func (s *Server) fetch(name string) (*Account, error) {
	s.fetches.Add(1)
	claims, err := s.resolver.Fetch(name)
	if err != nil {
		return nil, fmt.Errorf("account %q: %w", name, err)
	}
	acc := newAccount(name, claims)
	if racc := s.register(acc); racc != nil {
		return racc, nil
	}
	return acc, nil
}

func (s *Server) register(acc *Account) *Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.registerLocked(acc)
}

func (s *Server) registerLocked(acc *Account) *Account {
	if v, _ := s.accounts.Load(acc.Name); v != nil {
		return v.(*Account)
	}
	acc.subs = make(map[string]int)
	s.accounts.Store(acc.Name, acc)
	s.num++
	return nil
}

// LookupOrRegister returns an account and whether it is new.
func (s *Server) LookupOrRegister(name string) (*Account, bool) {
	if v, ok := s.accounts.Load(name); ok {
		return v.(*Account), false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	acc := newAccount(name, "")
	if racc := s.registerLocked(acc); racc != nil {
		return racc, false
	}
	return acc, true
}

// Num returns the number of accounts.
func (s *Server) Num() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.num
}

// Connect lets a client join an account; the result makes it leave.
func (s *Server) Connect(name string) (func(), error) {
	acc, err := s.Lookup(name)
	if err != nil {
		return nil, err
	}
	id := s.nextID.Add(1)
	acc.join(id)
	return func() { acc.leave(id) }, nil
}

// Subscribe counts interest in a subject.
func (a *Account) Subscribe(subject string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.subs[subject]++
	return a.subs[subject]
}
