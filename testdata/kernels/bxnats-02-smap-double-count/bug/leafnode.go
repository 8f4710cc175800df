// Package bug tells leaf nodes which subjects have subscribers.
package bug

import (
	"bytes"
	"strconv"
	"sync"
	"time"
)

type subscription struct {
	client  *client
	subject string
	queue   string
}

// sublist is safe for concurrent use.
type sublist struct {
	sync.RWMutex
	subs map[*subscription]struct{}
}

func (sl *sublist) Insert(sub *subscription) {
	sl.Lock()
	defer sl.Unlock()
	sl.subs[sub] = struct{}{}
}

func (sl *sublist) Remove(sub *subscription) bool {
	sl.Lock()
	defer sl.Unlock()
	_, ok := sl.subs[sub]
	delete(sl.subs, sub)
	return ok
}

func (sl *sublist) All(subs *[]*subscription) {
	sl.RLock()
	defer sl.RUnlock()
	for sub := range sl.subs {
		*subs = append(*subs, sub)
	}
}

// Account groups clients and leaf nodes.
type Account struct {
	sl *sublist

	mu     sync.RWMutex
	lleafs []*client
}

type leaf struct {
	smap map[string]int32
}

type client struct {
	acc *Account

	mu          sync.Mutex
	leaf        *leaf
	allSubsSent bool
	out         bytes.Buffer
}

// Server connects clients and leaf nodes.
type Server struct {
	grace time.Duration
}

// newLeaf returns the leaf side of an accepted connection.
func newLeaf(acc *Account) *client {
	c := &client{acc: acc, leaf: &leaf{smap: make(map[string]int32)}}
	acc.mu.Lock()
	acc.lleafs = append(acc.lleafs, c)
	acc.mu.Unlock()
	return c
}

// processConnect is called by the read loop of a leaf connection.
func (s *Server) processConnect(c *client) {
	s.initLeafNodeSmap(c)
	c.sendAllLeafSubs()
}

func (s *Server) initLeafNodeSmap(c *client) {
	var subs []*subscription
	c.acc.sl.All(&subs)

	c.mu.Lock()
	for _, sub := range subs {
		// We ignore ourselves here.
		if c != sub.client {
			c.leaf.smap[keyFromSub(sub)]++
		}
	}
	c.mu.Unlock()
}

func (c *client) sendAllLeafSubs() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, n := range c.leaf.smap {
		c.writeLeafSub(key, n)
	}
	c.allSubsSent = true
}

// subscribe is called by the read loop of any client.
func (s *Server) subscribe(c *client, subject, queue string) *subscription {
	sub := &subscription{client: c, subject: subject, queue: queue}
	c.acc.sl.Insert(sub)
	s.updateLeafNodes(c.acc, sub, 1)
	return sub
}

// unsubscribe ends sub.
func (s *Server) unsubscribe(sub *subscription) {
	if sub.client.acc.sl.Remove(sub) {
		s.updateLeafNodes(sub.client.acc, sub, -1)
	}
}

func (s *Server) updateLeafNodes(acc *Account, sub *subscription, delta int32) {
	var leafs []*client
	acc.mu.RLock()
	for _, ln := range acc.lleafs {
		if ln != sub.client {
			leafs = append(leafs, ln)
		}
	}
	acc.mu.RUnlock()
	for _, ln := range leafs {
		ln.updateSmap(sub, delta)
	}
}

// updateSmap updates the internal map and sends interest that changed.
func (c *client) updateSmap(sub *subscription, delta int32) {
	key := keyFromSub(sub)
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.leaf.smap[key]
	// We will update if its a queue, if count is zero, or we were 0 and are N > 0.
	update := sub.queue != "" || n == 0 || n+delta <= 0
	n += delta
	if n > 0 {
		c.leaf.smap[key] = n
	} else {
		delete(c.leaf.smap, key)
	}
	// Don't send in front of all subs.
	if update && c.allSubsSent {
		c.writeLeafSub(key, n)
	}
}

// writeLeafSub is called with the lock held.
func (c *client) writeLeafSub(key string, n int32) {
	if n > 0 {
		c.out.WriteString("LS+ " + key + " " + strconv.Itoa(int(n)) + "\r\n")
	} else {
		c.out.WriteString("LS- " + key + "\r\n")
	}
}

func keyFromSub(sub *subscription) string {
	if sub.queue != "" {
		return sub.subject + " " + sub.queue
	}
	return sub.subject
}
