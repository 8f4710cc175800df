package server

import (
	"bufio"
	"bytes"
	"math/rand"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	CLIENT = iota
	ROUTER
)

const qrsid = "QRSID"

type subscription struct {
	client  *client
	subject string
	queue   string
	sid     string
	nm      int64
	max     int64
}

// SublistResult is shared, it must not be changed.
type SublistResult struct {
	psubs []*subscription
	qsubs [][]*subscription
}

// Sublist holds the subscriptions by subject.
type Sublist struct {
	sync.RWMutex
	subs  map[string][]*subscription
	cache map[string]*SublistResult
}

func (s *Sublist) Insert(sub *subscription) {
	s.Lock()
	defer s.Unlock()
	s.subs[sub.subject] = append(s.subs[sub.subject], sub)
	delete(s.cache, sub.subject)
}

func (s *Sublist) Remove(sub *subscription) {
	s.Lock()
	defer s.Unlock()
	var kept []*subscription
	for _, o := range s.subs[sub.subject] {
		if o != sub {
			kept = append(kept, o)
		}
	}
	s.subs[sub.subject] = kept
	delete(s.cache, sub.subject)
}

func (s *Sublist) Match(subject string) *SublistResult {
	s.Lock()
	defer s.Unlock()
	if r := s.cache[subject]; r != nil {
		return r
	}
	r := &SublistResult{}
	queues := make(map[string]int)
	for _, sub := range s.subs[subject] {
		if sub.queue == "" {
			r.psubs = append(r.psubs, sub)
			continue
		}
		i, ok := queues[sub.queue]
		if !ok {
			i = len(r.qsubs)
			queues[sub.queue] = i
			r.qsubs = append(r.qsubs, nil)
		}
		r.qsubs[i] = append(r.qsubs[i], sub)
	}
	s.cache[subject] = r
	return r
}

type Server struct {
	mu       sync.Mutex
	sl       *Sublist
	clients  map[uint64]*client
	gcid     uint64
	outMsgs  int64
	outBytes int64
}

func New() *Server {
	return &Server{
		sl:      &Sublist{subs: make(map[string][]*subscription), cache: make(map[string]*SublistResult)},
		clients: make(map[uint64]*client),
	}
}

type client struct {
	mu   sync.Mutex
	typ  int
	cid  uint64
	srv  *Server
	nc   net.Conn
	bw   *bufio.Writer
	subs map[string]*subscription
}

// Serve registers the connection; the caller runs the read loop, that calls
// processSub and processMsg.
func (s *Server) Serve(nc net.Conn, typ int) *client {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gcid++
	c := &client{typ: typ, cid: s.gcid, srv: s, nc: nc, bw: bufio.NewWriter(nc), subs: make(map[string]*subscription)}
	s.clients[c.cid] = c
	return c
}

func (c *client) processSub(subject, queue, sid string, max int64) {
	sub := &subscription{client: c, subject: subject, queue: queue, sid: sid, max: max}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nc == nil || c.subs[sid] != nil {
		return
	}
	c.subs[sid] = sub
	c.srv.sl.Insert(sub)
}

func (c *client) unsubscribe(sub *subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.subs, sub.sid)
	c.srv.sl.Remove(sub)
}

func (c *client) closeConnection() {
	c.mu.Lock()
	if c.nc == nil {
		c.mu.Unlock()
		return
	}
	c.bw.Flush()
	c.nc.Close()
	c.nc = nil
	subs := c.subs
	c.subs = make(map[string]*subscription)
	c.mu.Unlock()

	c.srv.mu.Lock()
	delete(c.srv.clients, c.cid)
	c.srv.mu.Unlock()
	for _, sub := range subs {
		c.srv.sl.Remove(sub)
	}
}

// routeSidQueueSubscriber returns the queue subscriber that the sender of a
// routed message has chosen, the sid is QRSID:cid:sid.
func (s *Server) routeSidQueueSubscriber(rsid string) (*subscription, bool) {
	if !strings.HasPrefix(rsid, qrsid) {
		return nil, false
	}
	parts := strings.SplitN(rsid, ":", 3)
	if len(parts) != 3 {
		return nil, false
	}
	cid, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil {
		return nil, false
	}

	s.mu.Lock()
	client := s.clients[cid]
	s.mu.Unlock()
	if client == nil {
		return nil, true
	}

	client.mu.Lock()
	sub, ok := client.subs[parts[2]]
	client.mu.Unlock()
	if ok {
		return sub, true
	}
	return nil, true
}

func (c *client) deliverMsg(sub *subscription, mh, msg []byte) bool {
	client := sub.client
	client.mu.Lock()
	sub.nm++
	// Check if we should auto-unsubscribe.
	if sub.max > 0 {
		// If we are at the exact number, unsubscribe but
		// still process the message in hand, otherwise
		// unsubscribe and drop message on the floor.
		if sub.nm == sub.max {
			defer client.unsubscribe(sub)
		} else if sub.nm > sub.max {
			client.mu.Unlock()
			client.unsubscribe(sub)
			return false
		}
	}

	if client.nc == nil {
		client.mu.Unlock()
		return false
	}

	atomic.AddInt64(&c.srv.outMsgs, 1)
	atomic.AddInt64(&c.srv.outBytes, int64(len(msg)))

	// Deliver to the client.
	client.nc.SetWriteDeadline(time.Now().Add(2 * time.Second))
	if _, err := client.bw.Write(mh); err == nil {
		if _, err = client.bw.Write(msg); err == nil {
			client.bw.Flush()
		}
	}
	client.mu.Unlock()
	// Honor at most once semantic:
	// treat message that we attempted to send as actually sent
	// and don't let a higher-level code an attempt to resend it.
	return true
}

// processMsg is called to process an inbound msg from a client or a route. The
// sid is set if it comes from a route.
func (c *client) processMsg(subject, rsid string, msg []byte) {
	srv := c.srv
	isRouteQsub := false

	// If we are a route and we have a queue subscription, deliver direct
	// since they are sent direct via L2 semantics.
	if c.typ == ROUTER {
		if sub, ok := srv.routeSidQueueSubscriber(rsid); ok {
			if sub != nil {
				if c.deliverMsg(sub, msgHeader(sub), msg) {
					return
				}
			}
			isRouteQsub = true
			// for queue subscription try hard to deliver a message at least once.
			// We didn't make a delivery attempt, because either a subscriber limit
			// was exceeded or a subscription is already gone.
			// So, let a code below find yet another matching subscription.
		}
	}

	r := srv.sl.Match(subject)

	// Loop over all normal subscriptions that match.
	for _, sub := range r.psubs {
		// Otherwise, we'd end up with potentially delivering the same message twice.
		if isRouteQsub {
			break
		}
		// This is 1-Hop semantics for ROUTERs.
		if c.typ == ROUTER && sub.client.typ == ROUTER {
			continue
		}
		c.deliverMsg(sub, msgHeader(sub), msg)
	}

	// Now process any queue subs we have if not a route
	// ... Or if it's a route and we need to resend.
	if isRouteQsub || c.typ != ROUTER {
		for _, qsubs := range r.qsubs {
			// Iterate over all subscribed clients starting at a random index
			// until we find one that's able to deliver a message.
			start := rand.Intn(len(qsubs))
			for i := 0; i < len(qsubs); i++ {
				sub := qsubs[(start+i)%len(qsubs)]
				if c.deliverMsg(sub, msgHeader(sub), msg) {
					break
				}
			}
		}
	}
}

func msgHeader(sub *subscription) []byte {
	var b bytes.Buffer
	b.WriteString("MSG ")
	b.WriteString(sub.subject)
	b.WriteByte(' ')
	if sub.client.typ == ROUTER {
		b.WriteString(qrsid + ":")
	}
	b.WriteString(sub.sid + "\r\n")
	return b.Bytes()
}
