// Package bug tells remote clusters which subjects have no subscribers.
package bug

import (
	"bytes"
	"strings"
	"sync"
)

type gateway struct {
	name string
	// What we told the remote: account -> *sync.Map of subjects. A nil map
	// stands for the whole account.
	noInterest sync.Map
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
	c := &client{gw: gateway{name: name}}
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
	if _, sent := c.gw.noInterest.Load(account); !sent {
		c.gw.noInterest.Store(account, (*sync.Map)(nil))
		c.mu.Lock()
		c.sendProto("A-", account, "")
		c.mu.Unlock()
	}
}

func (c *client) sendSubjectNoInterest(account, subject string) {
	si, _ := c.gw.noInterest.Load(account)
	m, _ := si.(*sync.Map)
	if m == nil {
		m = &sync.Map{}
		m.Store(subject, struct{}{})
		c.gw.noInterest.Store(account, m)
	} else {
		if _, alreadySent := m.Load(subject); alreadySent {
			return
		}
		m.Store(subject, struct{}{})
	}
	c.mu.Lock()
	c.sendProto("RS-", account, subject)
	c.mu.Unlock()
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
	si, noInterest := c.gw.noInterest.Load(account)
	if !noInterest {
		return
	}
	m, _ := si.(*sync.Map)
	if m == nil {
		c.gw.noInterest.Delete(account)
		c.mu.Lock()
		c.sendProto("A+", account, "")
		c.mu.Unlock()
		return
	}
	found := false
	if prefix, wc := strings.CutSuffix(subject, ">"); wc {
		m.Range(func(k, _ any) bool {
			if strings.HasPrefix(k.(string), prefix) {
				m.Delete(k)
				found = true
			}
			return true
		})
	} else if _, sent := m.Load(subject); sent {
		m.Delete(subject)
		found = true
	}
	if found {
		c.mu.Lock()
		c.sendProto("RS+", account, subject)
		c.mu.Unlock()
	}
}
