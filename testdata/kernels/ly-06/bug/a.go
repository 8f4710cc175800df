package a

import (
	"bufio"
	"errors"
	"net"
	"strings"
	"sync"
	"time"
)

// Sublist holds the interest of all clients of a server.
type Sublist struct {
	mu   sync.RWMutex
	subs map[string][]*subscription
}

func (sl *Sublist) Insert(sub *subscription) error {
	if sub.subject == "" {
		return errors.New("sublist: Invalid Subject")
	}
	sl.mu.Lock()
	defer sl.mu.Unlock()
	sl.subs[sub.subject] = append(sl.subs[sub.subject], sub)
	return nil
}

func (sl *Sublist) Remove(sub *subscription) {
	sl.mu.Lock()
	defer sl.mu.Unlock()
	list := sl.subs[sub.subject]
	for i, s := range list {
		if s == sub {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(list) == 0 {
		delete(sl.subs, sub.subject)
		return
	}
	sl.subs[sub.subject] = list
}

func (sl *Sublist) Match(subject string) []*subscription {
	sl.mu.RLock()
	defer sl.mu.RUnlock()
	return sl.subs[subject]
}

type subscription struct {
	client  *client
	subject string
	sid     string
}

// Server accepts clients and routes messages between them.
type Server struct {
	mu      sync.Mutex
	sl      *Sublist
	clients map[*client]struct{}
}

func NewServer() *Server {
	return &Server{
		sl:      &Sublist{subs: map[string][]*subscription{}},
		clients: map[*client]struct{}{},
	}
}

// AcceptLoop serves all connections of a listener.
func (s *Server) AcceptLoop(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		c := &client{srv: s, nc: conn, bw: bufio.NewWriter(conn), subs: map[string]*subscription{}}
		s.mu.Lock()
		s.clients[c] = struct{}{}
		s.mu.Unlock()
		go c.readLoop()
	}
}

func (s *Server) removeClient(c *client) {
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
}

type client struct {
	srv *Server

	mu   sync.Mutex
	nc   net.Conn
	bw   *bufio.Writer
	subs map[string]*subscription
}

func (c *client) readLoop() {
	// Grab the connection off the client, it will be cleared on a close.
	c.mu.Lock()
	nc := c.nc
	c.mu.Unlock()
	if nc == nil {
		return
	}
	br := bufio.NewReader(nc)
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			c.closeConnection()
			return
		}
		if err := c.parse(strings.Fields(line)); err != nil {
			c.closeConnection()
			return
		}
	}
}

func (c *client) parse(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "SUB":
		return c.processSub(args[1], args[2])
	case len(args) == 3 && args[0] == "PUB":
		c.processMsg(args[1], args[2])
	default:
		return errors.New("parse error")
	}
	return nil
}

func (c *client) processSub(subject, sid string) error {
	sub := &subscription{client: c, subject: subject, sid: sid}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subs[sid] != nil {
		return nil
	}
	c.subs[sid] = sub
	return c.srv.sl.Insert(sub)
}

func (c *client) processMsg(subject, msg string) {
	for _, sub := range c.srv.sl.Match(subject) {
		sub.client.deliverMsg(sub, msg)
	}
}

func (c *client) deliverMsg(sub *subscription, msg string) {
	c.mu.Lock()
	if c.nc == nil {
		c.mu.Unlock()
		return
	}
	c.nc.SetWriteDeadline(time.Now().Add(2 * time.Second))
	_, err := c.bw.WriteString("MSG " + sub.subject + " " + sub.sid + " " + msg + "\r\n")
	if err == nil {
		err = c.bw.Flush()
	}
	c.mu.Unlock()
	if err != nil {
		// Slow consumer or gone.
		c.closeConnection()
	}
}

func (c *client) closeConnection() {
	c.mu.Lock()
	if c.nc == nil {
		c.mu.Unlock()
		return
	}
	c.nc.Close()
	c.nc = nil

	// Snapshot for use.
	subs := make([]*subscription, 0, len(c.subs))
	for _, sub := range c.subs {
		subs = append(subs, sub)
	}
	srv := c.srv
	c.mu.Unlock()

	// Unregister
	srv.removeClient(c)

	// Remove clients subscriptions.
	for _, sub := range subs {
		srv.sl.Remove(sub)
	}
}
