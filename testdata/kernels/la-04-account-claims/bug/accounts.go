package server

import (
	"sync"
	"time"
)

// accountClaims is the decoded form of an account JWT.
type accountClaims struct {
	Subject     string
	Issuer      string
	Expires     int64
	SigningKeys []string
	Exports     []string
	MaxConns    int
}

type limits struct {
	mconns int
}

// Account are subject namespace definitions. By default no messages are shared between accounts.
// You can share via Exports and Imports of Streams and Services.
type Account struct {
	Name   string
	Issuer string

	mu          sync.RWMutex
	claimJWT    string
	updated     time.Time
	signingKeys map[string]struct{}
	exports     map[string]*export
	clients     map[*client]struct{}
	limits      limits
	expired     bool
	incomplete  bool

	updateMu sync.Mutex // serializes the processing of claims updates
}

type export struct {
	subject  string
	approved map[string]struct{}
}

type client struct {
	mu     sync.Mutex
	cid    uint64
	acc    *Account
	issuer string
	closed bool
}

func (c *client) closeConnection() {
	c.mu.Lock()
	c.closed = true
	acc := c.acc
	c.mu.Unlock()
	if acc != nil {
		acc.removeClient(c)
	}
}

func NewAccount(name string) *Account {
	return &Account{
		Name:    name,
		exports: make(map[string]*export),
		clients: make(map[*client]struct{}),
		limits:  limits{mconns: -1},
	}
}

// IsExpired returns expiration status.
func (a *Account) IsExpired() bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.expired
}

// NumLocalConnections returns active number of clients for this account on this server.
func (a *Account) NumLocalConnections() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return len(a.clients)
}

func (a *Account) addClient(c *client) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limits.mconns >= 0 && len(a.clients) >= a.limits.mconns {
		return false
	}
	a.clients[c] = struct{}{}
	return true
}

func (a *Account) removeClient(c *client) {
	a.mu.Lock()
	delete(a.clients, c)
	a.mu.Unlock()
}

// hasIssuer returns true if the issuer matches the account
// issuer or it is a signing key for the account.
func (a *Account) hasIssuer(issuer string) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if issuer == a.Name {
		return true
	}
	_, ok := a.signingKeys[issuer]
	return ok
}

// Lock should be held.
func (a *Account) addServiceExport(subject string) {
	a.exports[subject] = &export{subject: subject}
}

// Lock should be held.
func (a *Account) checkExpiration(claims *accountClaims) {
	a.expired = claims.Expires != 0 && claims.Expires <= time.Now().Unix()
}

// UpdateAccountClaims will update an existing account with new claims.
// This will replace any exports or imports previously defined.
// Lock MUST NOT be held upon entry.
func (s *Server) UpdateAccountClaims(a *Account, ac *accountClaims) {
	s.Debugf("Updating account claims: %s", a.Name)

	a.mu.Lock()
	a.checkExpiration(ac)
	// Reset exports here.
	// Exports is creating a whole new map.
	a.exports = make(map[string]*export)
	// update account signing keys
	a.signingKeys = make(map[string]struct{}, len(ac.SigningKeys))
	for _, k := range ac.SigningKeys {
		a.signingKeys[k] = struct{}{}
	}
	for _, e := range ac.Exports {
		a.addServiceExport(e)
	}
	// Now do limits if they are present.
	a.limits.mconns = ac.MaxConns
	a.updated = time.Now().UTC()
	a.incomplete = false
	a.mu.Unlock()

	gatherClients := func() []*client {
		a.mu.RLock()
		defer a.mu.RUnlock()
		clients := make([]*client, 0, len(a.clients))
		for c := range a.clients {
			clients = append(clients, c)
		}
		return clients
	}

	clients := gatherClients()
	for i, c := range clients {
		if ac.MaxConns >= 0 && i >= ac.MaxConns {
			c.closeConnection()
			continue
		}
		c.mu.Lock()
		issuer := c.issuer
		c.mu.Unlock()
		if issuer != "" && !a.hasIssuer(issuer) {
			c.closeConnection()
		}
	}
}
