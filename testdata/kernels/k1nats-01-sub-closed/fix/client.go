// Package server delivers messages to the subscriptions of its clients.
package server

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxResultCacheSize      = 512
	closedSubsCheckInterval = 5 * time.Minute
)

type subscription struct {
	client  *client
	subject string
	sid     string
	max     int64 // protected by the lock of the client
	nm      int64 // protected by the lock of the client
	closed  int32 // Will atomically be set to 1 on unsub or connection close
}

// Indicate that this subscription is closed.
// This is used in pruning of cache items.
func (s *subscription) close() {
	atomic.StoreInt32(&s.closed, 1)
}

// Return true if this subscription was unsubscribed
// or its connection has been closed.
func (s *subscription) isClosed() bool {
	return atomic.LoadInt32(&s.closed) == 1
}

// readCache is used by the read loop only.
type readCache struct {
	genid   uint64
	results map[string]*SublistResult
}

type client struct {
	sl *Sublist
	nc net.Conn
	in readCache

	mu      sync.Mutex
	subs    map[string]*subscription
	bw      *bufio.Writer
	closed  bool
	outMsgs int64
}

// ServeClient serves a connection.
func ServeClient(sl *Sublist, nc net.Conn) {
	c := &client{sl: sl, nc: nc, subs: make(map[string]*subscription), bw: bufio.NewWriter(nc)}
	go c.readLoop()
}

// readLoop is the main client read functionality.
// Runs in its own Go routine.
func (c *client) readLoop() {
	br := bufio.NewReader(c.nc)
	// Last cache check for closed subscriptions
	lpacc := time.Now()
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			c.closeConnection()
			return
		}
		args := strings.Fields(line)
		switch {
		case len(args) == 3 && args[0] == "SUB":
			c.processSub(args[1], args[2])
		case len(args) > 1 && args[0] == "UNSUB":
			c.processUnsub(args[1:])
		case len(args) == 3 && args[0] == "PUB":
			c.processInboundMsg(args[1], args[2])
		}
		if time.Since(lpacc) >= closedSubsCheckInterval {
			c.pruneClosedSubFromCache()
			lpacc = time.Now()
		}
	}
}

func (c *client) processSub(subject, sid string) {
	sub := &subscription{client: c, subject: subject, sid: sid}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subs[sid] == nil {
		c.subs[sid] = sub
		c.sl.Insert(sub)
	}
}

func (c *client) processUnsub(args []string) {
	max := -1
	if len(args) > 1 {
		max, _ = strconv.Atoi(args[1])
	}
	var unsub bool
	c.mu.Lock()
	sub, ok := c.subs[args[0]]
	if ok {
		if max > 0 {
			sub.max = int64(max)
		} else {
			// Clear it here to override
			sub.max = 0
			unsub = true
		}
	}
	c.mu.Unlock()
	if unsub {
		c.unsubscribe(sub)
	}
}

// Low level unsubscribe for a given client.
func (c *client) unsubscribe(sub *subscription) {
	c.mu.Lock()
	if c.subs[sub.sid] == sub {
		delete(c.subs, sub.sid)
	}
	c.sl.Remove(sub)
	sub.close()
	c.mu.Unlock()
}

func (c *client) processInboundMsg(subject, msg string) {
	for _, sub := range c.getResultFromCache(subject).psubs {
		c.deliverMsg(sub, subject, msg)
	}
}

// getResultFromCache returns the subscriptions that match.
func (c *client) getResultFromCache(subject string) *SublistResult {
	genid := c.sl.GenID()
	if genid != c.in.genid || c.in.results == nil {
		c.in.results = make(map[string]*SublistResult)
		c.in.genid = genid
	}
	r, ok := c.in.results[subject]
	if !ok {
		r = c.sl.Match(subject)
		if len(c.in.results) < maxResultCacheSize {
			c.in.results[subject] = r
		}
	}
	return r
}

// pruneClosedSubFromCache remove entries that contain subscriptions
// that have been closed.
func (c *client) pruneClosedSubFromCache() {
	for subject, r := range c.in.results {
		for _, sub := range r.psubs {
			if sub.isClosed() {
				delete(c.in.results, subject)
				break
			}
		}
	}
}

// deliverMsg delivers a message to a subscription, mostly of another client.
func (c *client) deliverMsg(sub *subscription, subject, msg string) bool {
	client := sub.client
	client.mu.Lock()

	// This is set under the client lock using atomic because it can be
	// checked with atomic without the client lock.
	if sub.isClosed() {
		client.mu.Unlock()
		return false
	}

	sub.nm++
	// Check if we should auto-unsubscribe.
	if sub.max > 0 {
		// If we are at the exact number, unsubscribe but
		// still process the message in hand, otherwise
		// unsubscribe and drop message on the floor.
		if sub.nm == sub.max {
			// Due to defer, this is done after the message was queued.
			defer client.unsubscribe(sub)
		} else if sub.nm > sub.max {
			client.mu.Unlock()
			client.unsubscribe(sub)
			return false
		}
	}
	// Check for closed connection
	if client.closed {
		client.mu.Unlock()
		return false
	}

	// Update statistics
	client.outMsgs++
	fmt.Fprintf(client.bw, "MSG %s %s %s\r\n", subject, sub.sid, msg)
	client.bw.Flush()
	client.mu.Unlock()
	return true
}

func (c *client) closeConnection() {
	c.mu.Lock()
	c.closed = true
	c.nc.Close()
	subs := c.subs
	c.subs = nil
	for _, sub := range subs {
		c.sl.Remove(sub)
		sub.close()
	}
	c.mu.Unlock()
}
