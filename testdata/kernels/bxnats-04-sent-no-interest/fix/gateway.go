// Package fix tells remote clusters which subjects have no subscribers.
package fix

import (
	"bytes"
	"strings"
	"sync"
)

type gateway struct {
	name string
	// What we told the remote: account -> subjects. A nil map stands for the
	// whole account. Guarded by the lock of the client.
	sentNoInterest map[string]map[string]struct{}
}

type client struct {
	gw gateway

	mu  sync.Mutex
	out bytes.Buffer
}

// sendProto is called with the lock held.
func (c *client) sendProto(op, account, subject string) {
	c.out.WriteString(op + " " + account)
	if subject != "" {
		c.out.WriteString(" " + subject)
	}
	c.out.WriteString("\r\n")
}

// Account knows its subscribers.
type Account struct {
	mu   sync.RWMutex
	subs map[string]int
}

func (a *Account) interest(subject string) (any, this bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return len(a.subs) > 0, a.subs[subject] > 0
}

// Server is one member of a cluster.
type Server struct {
	mu       sync.RWMutex
	accounts map[string]*Account
	inbound  []*client
}

// acceptGateway registers an inbound connection.
func (s *Server) acceptGateway(name string) *client {
	c := &client{gw: gateway{name: name, sentNoInterest: make(map[string]map[string]struct{})}}
	s.mu.Lock()
	s.inbound = append(s.inbound, c)
	s.mu.Unlock()
	return c
}

// processInboundMsg is called by the read loop of an inbound connection.
func (s *Server) processInboundMsg(c *client, account, subject string) bool {
	s.mu.RLock()
	acc := s.accounts[account]
	s.mu.RUnlock()
	if acc == nil {
		c.sendAccountNoInterest(account)
		return false
	}
	any, this := acc.interest(subject)
	if !any {
		c.sendAccountNoInterest(account)
	} else if !this {
		c.sendSubjectNoInterest(account, subject)
	}
	return this
}

func (c *client) sendAccountNoInterest(account string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, sent := c.gw.sentNoInterest[account]; !sent {
		c.gw.sentNoInterest[account] = nil
		c.sendProto("A-", account, "")
	}
}

func (c *client) sendSubjectNoInterest(account, subject string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.gw.sentNoInterest[account]
	if m == nil {
		m = make(map[string]struct{})
		c.gw.sentNoInterest[account] = m
	} else if _, alreadySent := m[subject]; alreadySent {
		return
	}
	m[subject] = struct{}{}
	c.sendProto("RS-", account, subject)
}

// subscribe is called by the read loops of clients.
func (s *Server) subscribe(account, subject string) {
	s.mu.Lock()
	acc := s.accounts[account]
	if acc == nil {
		acc = &Account{subs: make(map[string]int)}
		s.accounts[account] = acc
	}
	gws := append([]*client(nil), s.inbound...)
	s.mu.Unlock()

	acc.mu.Lock()
	acc.subs[subject]++
	acc.mu.Unlock()
	for _, c := range gws {
		c.clearNoInterest(account, subject)
	}
}

func (c *client) clearNoInterest(account, subject string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, noInterest := c.gw.sentNoInterest[account]
	if !noInterest {
		return
	}
	if m == nil {
		delete(c.gw.sentNoInterest, account)
		c.sendProto("A+", account, "")
		return
	}
	found := false
	if prefix, wc := strings.CutSuffix(subject, ">"); wc {
		for k := range m {
			if strings.HasPrefix(k, prefix) {
				delete(m, k)
				found = true
			}
		}
	} else if _, sent := m[subject]; sent {
		delete(m, subject)
		found = true
	}
	if found {
		c.sendProto("RS+", account, subject)
	}
}
