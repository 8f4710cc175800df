package a

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrMissingAccount = errors.New("account missing")
	ErrTooManyConns   = errors.New("maximum account active connections exceeded")
)

// AccountClaims is what an operator signed for an account.
type AccountClaims struct {
	Name     string
	MaxConns int
}

// AccountResolver fetches claims, from memory, a directory or over HTTP.
type AccountResolver interface {
	Fetch(name string) (*AccountClaims, error)
}

type client struct {
	cid uint64
}

// Account isolates the subjects of its clients from those of others.
type Account struct {
	Name string

	mu       sync.RWMutex
	maxConns int
	clients  map[*client]struct{}
	subs     map[string]int
}

func newAccount(claims *AccountClaims) *Account {
	return &Account{
		Name:     claims.Name,
		maxConns: claims.MaxConns,
		clients:  make(map[*client]struct{}),
		subs:     make(map[string]int),
	}
}

func (a *Account) addClient(c *client) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.maxConns > 0 && len(a.clients) >= a.maxConns {
		return ErrTooManyConns
	}
	a.clients[c] = struct{}{}
	return nil
}

func (a *Account) removeClient(c *client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.clients, c)
}

// SetMaxConns changes the limit for the connections to come.
func (a *Account) SetMaxConns(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.maxConns = n
}

func (a *Account) subscribe(subject string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.subs[subject]++
}

// NumInterested tells how many subscriptions a message would reach.
func (a *Account) NumInterested(subject string) int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.subs[subject]
}

type Server struct {
	accounts sync.Map // name -> *Account
	resolver AccountResolver
	gcid     atomic.Uint64
}

func NewServer(r AccountResolver) *Server {
	return &Server{resolver: r}
}

// LookupAccount returns an account by name; one that is not in use yet is
// fetched from the resolver and registered.
func (s *Server) LookupAccount(name string) (*Account, error) {
	if v, ok := s.accounts.Load(name); ok {
		return v.(*Account), nil
	}
	if s.resolver == nil {
		return nil, ErrMissingAccount
	}
	claims, err := s.resolver.Fetch(name)
	if err != nil {
		return nil, err
	}
	if claims == nil || claims.Name != name {
		return nil, ErrMissingAccount
	}
	acc := newAccount(claims)
	return s.registerAccount(acc), nil
}

// registerAccount makes the account known to the server.
func (s *Server) registerAccount(acc *Account) *Account {
	actual, _ := s.accounts.LoadOrStore(acc.Name, acc)
	return actual.(*Account)
}

// Connect binds a new connection to the account it has authenticated for.
func (s *Server) Connect(account string) (*client, *Account, error) {
	acc, err := s.LookupAccount(account)
	if err != nil {
		return nil, nil, err
	}
	c := &client{cid: s.gcid.Add(1)}
	if err := acc.addClient(c); err != nil {
		return nil, nil, err
	}
	return c, acc, nil
}

// NumAccounts counts the accounts in use.
func (s *Server) NumAccounts() int {
	n := 0
	s.accounts.Range(func(_, _ any) bool {
		n++
		return true
	})
	return n
}
