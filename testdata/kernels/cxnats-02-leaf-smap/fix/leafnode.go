// Package fix propagates interest to leaf connections.
package fix

import (
	"bytes"
	"fmt"
	"sync"
)

type subscription struct {
	client  *client
	subject string
	sid     string
}

// Sublist holds the subscriptions of an account.
type Sublist struct {
	sync.RWMutex
	subs map[*subscription]struct{}
}

// Insert adds a subscription.
func (s *Sublist) Insert(sub *subscription) {
	s.Lock()
	defer s.Unlock()
	s.subs[sub] = struct{}{}
}

// Remove removes a subscription.
func (s *Sublist) Remove(sub *subscription) {
	s.Lock()
	defer s.Unlock()
	delete(s.subs, sub)
}

func (s *Sublist) localSubs() []*subscription {
	s.RLock()
	defer s.RUnlock()
	subs := make([]*subscription, 0, len(s.subs))
	for sub := range s.subs {
		subs = append(subs, sub)
	}
	return subs
}

// Account isolates the subjects of its clients.
type Account struct {
	sl *Sublist

	lmu    sync.RWMutex
	lleafs []*client
}

// NewAccount returns an account without clients.
func NewAccount() *Account {
	return &Account{sl: &Sublist{subs: make(map[*subscription]struct{})}}
}

// leaf holds the state of a leaf connection, guarded by the client's lock.
type leaf struct {
	// smap counts the interest we want to send to the other side.
	smap map[string]int32
	// tsub contains the subscriptions that are counted in smap, so that an
	// update that comes late for initLeafNodeSmap is not counted twice.
	tsub map[*subscription]struct{}
}

type client struct {
	srv *Server
	acc *Account

	mu   sync.Mutex
	subs map[string]*subscription
	leaf *leaf
	out  bytes.Buffer
}

// Server is the broker.
type Server struct {
	name string
}

func (s *Server) createClient(acc *Account) *client {
	return &client{srv: s, acc: acc, subs: make(map[string]*subscription)}
}

// createLeafNode registers a connection that has not sent CONNECT yet.
func (s *Server) createLeafNode(acc *Account) *client {
	c := s.createClient(acc)
	// Do not update the smap here, we need to do it in initLeafNodeSmap
	c.leaf = &leaf{}
	acc.lmu.Lock()
	acc.lleafs = append(acc.lleafs, c)
	acc.lmu.Unlock()
	return c
}

// processLeafNodeConnect runs on the read loop of the leaf connection.
func (s *Server) processLeafNodeConnect(c *client) {
	s.initLeafNodeSmap(c)
}

// initLeafNodeSmap snapshots the current subscriptions into our smap, which
// we will keep updated from now on, and sends them.
func (s *Server) initLeafNodeSmap(c *client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	subs := c.acc.sl.localSubs()
	c.leaf.smap = make(map[string]int32)
	c.leaf.tsub = make(map[*subscription]struct{})
	for _, sub := range subs {
		// We ignore ourselves here.
		if c != sub.client {
			c.leaf.smap[sub.subject]++
			c.leaf.tsub[sub] = struct{}{}
		}
	}
	for subject := range c.leaf.smap {
		fmt.Fprintf(&c.out, "LS+ %s\r\n", subject)
	}
}

// updateSmap makes an update to our internal smap and determines if we should
// send out an interest update to the remote side.
func (c *client) updateSmap(sub *subscription, delta int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaf.smap == nil {
		return
	}

	// Check if that sub has already been counted by initLeafNodeSmap, or was
	// gone by then.
	_, present := c.leaf.tsub[sub]
	if present == (delta > 0) {
		return
	}
	if delta > 0 {
		c.leaf.tsub[sub] = struct{}{}
	} else {
		delete(c.leaf.tsub, sub)
	}

	n := c.leaf.smap[sub.subject]
	// We will update if we were 0 and are N > 0, or the other way round.
	update := n == 0 || n+delta <= 0
	n += delta
	if n > 0 {
		c.leaf.smap[sub.subject] = n
	} else {
		delete(c.leaf.smap, sub.subject)
	}
	if update {
		if n > 0 {
			fmt.Fprintf(&c.out, "LS+ %s\r\n", sub.subject)
		} else {
			fmt.Fprintf(&c.out, "LS- %s\r\n", sub.subject)
		}
	}
}

// updateLeafNodes updates all leaf connections of an account.
func (s *Server) updateLeafNodes(acc *Account, sub *subscription, delta int32) {
	acc.lmu.RLock()
	defer acc.lmu.RUnlock()
	for _, ln := range acc.lleafs {
		if ln != sub.client {
			ln.updateSmap(sub, delta)
		}
	}
}

// processSub runs on the read loop of the client.
func (c *client) processSub(subject, sid string) {
	sub := &subscription{client: c, subject: subject, sid: sid}
	c.mu.Lock()
	if _, ok := c.subs[sid]; ok {
		c.mu.Unlock()
		return
	}
	c.subs[sid] = sub
	c.mu.Unlock()

	c.acc.sl.Insert(sub)
	c.srv.updateLeafNodes(c.acc, sub, 1)
}

// processUnsub runs on the read loop of the client.
func (c *client) processUnsub(sid string) {
	c.mu.Lock()
	sub := c.subs[sid]
	delete(c.subs, sid)
	c.mu.Unlock()
	if sub == nil {
		return
	}
	c.acc.sl.Remove(sub)
	c.srv.updateLeafNodes(c.acc, sub, -1)
}
