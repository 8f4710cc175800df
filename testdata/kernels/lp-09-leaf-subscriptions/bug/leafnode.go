package server

import (
	"bytes"
	"strings"
	"sync"
	"time"
)

const (
	CLIENT = iota
	ROUTER
	LEAF
)

type subscription struct {
	client  *client
	subject []byte
	queue   []byte
	qw      int32
	origin  []byte
}

func keyFromSub(sub *subscription) string {
	if len(sub.queue) > 0 {
		return string(sub.subject) + " " + string(sub.queue)
	}
	return string(sub.subject)
}

type sublist struct {
	sync.RWMutex
	subs map[*subscription]struct{}
}

func (s *sublist) Insert(sub *subscription) {
	s.Lock()
	defer s.Unlock()
	s.subs[sub] = struct{}{}
}

func (s *sublist) localSubs(subs *[]*subscription) {
	s.RLock()
	defer s.RUnlock()
	for sub := range s.subs {
		if sub.client.kind == CLIENT || sub.client.kind == LEAF {
			*subs = append(*subs, sub)
		}
	}
}

func (s *sublist) All(subs *[]*subscription) {
	s.RLock()
	defer s.RUnlock()
	for sub := range s.subs {
		*subs = append(*subs, sub)
	}
}

type Account struct {
	mu       sync.RWMutex
	Name     string
	sl       *sublist
	services map[string]struct{}
	nleafs   int

	lmu    sync.RWMutex
	lleafs []*client
}

// NewAccount makes an account with the subjects of its imported services.
func NewAccount(name string, services ...string) *Account {
	acc := &Account{Name: name, sl: &sublist{subs: make(map[*subscription]struct{})}, services: make(map[string]struct{})}
	for _, s := range services {
		acc.services[s] = struct{}{}
	}
	return acc
}

type leaf struct {
	isSpoke       bool
	remoteCluster string
	smap          map[string]int32
	tsub          map[*subscription]struct{}
	tsubt         *time.Timer
}

type client struct {
	mu   sync.Mutex
	kind int
	acc  *Account
	leaf *leaf
	deny []string
	out  [][]byte
}

func (c *client) isSpokeLeafNode() bool { return c.kind == LEAF && c.leaf.isSpoke }

func (c *client) canSubscribe(subject string) bool {
	for _, d := range c.deny {
		if strings.HasPrefix(subject, d) {
			return false
		}
	}
	return true
}

// Lock should be held.
func (c *client) enqueueProto(b []byte) { c.out = append(c.out, b) }

// addLeafNodeConnection is called when the handshake is complete.
func (c *client) addLeafNodeConnection(acc *Account) {
	acc.mu.Lock()
	acc.nleafs++
	acc.mu.Unlock()

	acc.lmu.Lock()
	acc.lleafs = append(acc.lleafs, c)
	acc.lmu.Unlock()

	c.initLeafNodeSmapAndSendSubs()
}

// Snapshot the current subscriptions from the sublist into our smap which
// we will keep updated from now on.
func (c *client) initLeafNodeSmapAndSendSubs() {
	acc := c.acc
	if acc == nil {
		return
	}
	// Collect all account subs here.
	_subs := [1024]*subscription{}
	subs := _subs[:0]
	ims := []string{}

	acc.mu.RLock()
	// If we are solicited we only send interest for local clients.
	if c.isSpokeLeafNode() {
		acc.sl.localSubs(&subs)
	} else {
		acc.sl.All(&subs)
	}

	// Since leaf nodes only send on interest, if the bound
	// account has import services we need to send those over.
	for isubj := range acc.services {
		if c.isSpokeLeafNode() && !c.canSubscribe(isubj) {
			continue
		}
		ims = append(ims, isubj)
	}
	acc.mu.RUnlock()

	// Now walk the results and add them to our smap
	c.mu.Lock()
	rc := c.leaf.remoteCluster
	c.leaf.smap = make(map[string]int32)
	for _, sub := range subs {
		if !c.canSubscribe(string(sub.subject)) {
			continue
		}
		// We ignore ourselves here.
		if c != sub.client && (sub.origin == nil || (string(sub.origin) != rc)) {
			count := int32(1)
			if len(sub.queue) > 0 && sub.qw > 0 {
				count = sub.qw
			}
			c.leaf.smap[keyFromSub(sub)] += count
			if c.leaf.tsub == nil {
				c.leaf.tsub = make(map[*subscription]struct{})
			}
			c.leaf.tsub[sub] = struct{}{}
		}
	}
	for _, isubj := range ims {
		c.leaf.smap[isubj]++
	}
	// Queue all protocols.
	var b bytes.Buffer
	for key, n := range c.leaf.smap {
		c.writeLeafSub(&b, key, n)
	}
	if b.Len() > 0 {
		c.enqueueProto(b.Bytes())
	}
	if c.leaf.tsub != nil {
		// Clear the tsub map after 5 seconds.
		c.leaf.tsubt = time.AfterFunc(5*time.Second, func() {
			c.mu.Lock()
			c.leaf.tsub = nil
			c.leaf.tsubt = nil
			c.mu.Unlock()
		})
	}
	c.mu.Unlock()
}

// processSub is called by the read loop of a client.
func (c *client) processSub(sub *subscription) {
	c.acc.sl.Insert(sub)
	c.acc.updateLeafNodes(sub, 1)
}

func (acc *Account) updateLeafNodes(sub *subscription, delta int32) {
	acc.mu.RLock()
	// First check if we even have leafnodes here.
	if acc.nleafs == 0 {
		acc.mu.RUnlock()
		return
	}
	acc.mu.RUnlock()

	// We can hold the list lock here to avoid having to copy a large slice.
	acc.lmu.RLock()
	defer acc.lmu.RUnlock()

	cluster := string(sub.origin)
	// Walk the connected leafnodes.
	for _, ln := range acc.lleafs {
		if ln == sub.client {
			continue
		}
		ln.mu.Lock()
		skip := (cluster != "" && cluster == ln.leaf.remoteCluster) || (delta > 0 && !ln.canSubscribe(string(sub.subject)))
		if !skip {
			ln.updateSmap(sub, delta)
		}
		ln.mu.Unlock()
	}
}

// Lock should be held.
func (c *client) updateSmap(sub *subscription, delta int32) {
	if c.leaf.smap == nil {
		return
	}
	// If we are solicited make sure this is a local client or a leaf node
	if c.isSpokeLeafNode() && sub.client.kind == ROUTER {
		return
	}
	// For additions, check if that sub has just been processed during initLeafNodeSmapAndSendSubs
	if delta > 0 && c.leaf.tsub != nil {
		if _, present := c.leaf.tsub[sub]; present {
			delete(c.leaf.tsub, sub)
			if len(c.leaf.tsub) == 0 {
				c.leaf.tsub = nil
				c.leaf.tsubt.Stop()
				c.leaf.tsubt = nil
			}
			return
		}
	}

	key := keyFromSub(sub)
	n, ok := c.leaf.smap[key]
	if delta < 0 && !ok {
		return
	}
	// We will update if its a queue, if count is zero (or negative), or we were 0 and are N > 0.
	update := sub.queue != nil || n == 0 || n+delta <= 0
	n += delta
	if n > 0 {
		c.leaf.smap[key] = n
	} else {
		delete(c.leaf.smap, key)
	}
	if update {
		var b bytes.Buffer
		c.writeLeafSub(&b, key, n)
		c.enqueueProto(b.Bytes())
	}
}

func (c *client) writeLeafSub(w *bytes.Buffer, key string, n int32) {
	if n > 0 {
		w.WriteString("LS+ " + key)
	} else {
		w.WriteString("LS- " + key)
	}
	w.WriteString("\r\n")
}
