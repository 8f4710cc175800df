package a

import (
	"fmt"
	"sync"
)

type subscription struct {
	subject string
	sid     string
}

// Sublist holds the subscriptions of an account.
type Sublist struct {
	sync.RWMutex
	subs map[string]*subscription
}

func newSublist() *Sublist { return &Sublist{subs: map[string]*subscription{}} }

// Insert adds a subscription into the sublist.
func (s *Sublist) Insert(sub *subscription) {
	s.Lock()
	s.subs[sub.sid] = sub
	s.Unlock()
}

// Count returns the number of subscriptions.
func (s *Sublist) Count() int {
	s.RLock()
	defer s.RUnlock()
	return len(s.subs)
}

// Account are subject namespace definitions.
type Account struct {
	Name string
	mu   sync.RWMutex
	sl   *Sublist
	// siReply is set when the account has the internal subscription for
	// service replies.
	siReply []byte
}

func (a *Account) sublist() *Sublist {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.sl
}

// subscribe registers interest in the account.
func (a *Account) subscribe(sub *subscription) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	a.sl.Insert(sub)
}

// reload takes over the subscriptions and imports of a new configuration.
func (a *Account) reload(subs []*subscription, siReply []byte) {
	sl := newSublist()
	for _, sub := range subs {
		sl.Insert(sub)
	}
	a.mu.Lock()
	a.sl = sl
	a.siReply = siReply
	a.mu.Unlock()
}

type client struct {
	mu  sync.Mutex
	out []string
	// insim tracks the no interest that was sent per account.
	insim map[string]map[string]struct{}
}

func (c *client) enqueueProto(proto string) {
	c.out = append(c.out, proto)
}

// Server is our main struct.
type Server struct {
	mu       sync.RWMutex
	accounts map[string]*Account
}

func (s *Server) lookupAccount(name string) *Account {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.accounts[name]
}

// gatewayHandleSubjectNoInterest is invoked when there was no interest for a
// message that came in over the gateway connection.
func (s *Server) gatewayHandleSubjectNoInterest(c *client, acc *Account, accName, subject string) {
	// If there is no subscription for this account, we would normally
	// send an A-, however, if this account has the internal subscription
	// for service reply, send a specific RS- for the subject instead.
	hasSubs := acc.sublist().Count() > 0
	if !hasSubs {
		acc.mu.RLock()
		hasSubs = acc.siReply != nil
		acc.mu.RUnlock()
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.insim[accName]
	if hasSubs {
		if _, sent := e[subject]; sent {
			return
		}
		if e == nil {
			e = map[string]struct{}{}
			c.insim[accName] = e
		}
		e[subject] = struct{}{}
		c.enqueueProto(fmt.Sprintf("RS- %s %s", accName, subject))
		return
	}
	// No interest at all, the remote will not send anything for the account.
	c.insim[accName] = nil
	c.enqueueProto("A- " + accName)
}

// processInboundGatewayMsg delivers a message or reports that nobody wants it.
func (s *Server) processInboundGatewayMsg(c *client, accName, subject string, delivered bool) {
	acc := s.lookupAccount(accName)
	if acc == nil || delivered {
		return
	}
	s.gatewayHandleSubjectNoInterest(c, acc, accName, subject)
}

// reloadAccounts applies the new configuration of an account.
func (s *Server) reloadAccounts(name string, subs []*subscription, siReply []byte) {
	if acc := s.lookupAccount(name); acc != nil {
		acc.reload(subs, siReply)
	}
}
