// Package server registers leafnode connections with accounts.
package server

import (
	"bufio"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	ErrBadAccount                = errors.New("bad account")
	ErrConnectionClosed          = errors.New("connection closed")
	ErrTooManyAccountConnections = errors.New("maximum account active connections exceeded")
)

// Account has connections of clients.
type Account struct {
	Name string

	mu      sync.RWMutex
	mleafs  int
	clients map[*client]struct{}
}

// NewAccount returns an account that may have a number of leafs.
func NewAccount(name string, mleafs int) *Account {
	return &Account{Name: name, mleafs: mleafs, clients: make(map[*client]struct{})}
}

// addClient adds a client, unless there are too many. It returns how many
// there were before.
func (a *Account) addClient(c *client) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.clients)
	if n >= a.mleafs {
		return n, ErrTooManyAccountConnections
	}
	a.clients[c] = struct{}{}
	return n, nil
}

// removeClient keeps track of the clients. It returns how many there were
// before, or 0 if the client was not there.
func (a *Account) removeClient(c *client) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.clients)
	delete(a.clients, c)
	// If we did not actually remove it, we are done.
	if n == len(a.clients) {
		return 0
	}
	return n
}

type client struct {
	srv *Server
	cid uint64
	nc  net.Conn

	mu     sync.Mutex
	acc    *Account
	closed bool
	ready  bool
}

// Lock should be held.
func (c *client) isClosed() bool { return c.closed }

// Server has leafnode connections.
type Server struct {
	activeAccounts int32

	mu    sync.Mutex
	gcid  uint64
	leafs map[uint64]*client
}

// New returns a server without connections.
func New() *Server { return &Server{leafs: make(map[uint64]*client)} }

func (s *Server) incActiveAccounts() { atomic.AddInt32(&s.activeAccounts, 1) }
func (s *Server) decActiveAccounts() { atomic.AddInt32(&s.activeAccounts, -1) }

// NumActiveAccounts reports number of active accounts on this server.
func (s *Server) NumActiveAccounts() int32 { return atomic.LoadInt32(&s.activeAccounts) }

// NumLeafNodes returns number of leaf node connections.
func (s *Server) NumLeafNodes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.leafs)
}

// CreateLeafNode starts to use a connection that was solicited for an account.
func (s *Server) CreateLeafNode(conn net.Conn, acc *Account) {
	s.mu.Lock()
	s.gcid++
	c := &client{srv: s, cid: s.gcid, nc: conn}
	s.mu.Unlock()

	// Spin up the read loop.
	go c.readLoop()
	s.leafNodeFinishConnectProcess(c, acc)
}

func (s *Server) leafNodeFinishConnectProcess(c *client, acc *Account) {
	// Make sure we register with the account here.
	if err := c.registerWithAccount(acc); err != nil {
		c.closeConnection()
		return
	}
	s.addLeafNodeConnection(c)

	// The above functions are not running under the client lock, so it is
	// possible that between the time we have started the read loop
	// and now, that the connection was closed. This would leave the closed
	// LN connection possibly registered with the account and/or the server's
	// leafs map. So check if connection is closed, and if so, manually cleanup.
	c.mu.Lock()
	closed := c.isClosed()
	if !closed {
		c.ready = true
	}
	c.mu.Unlock()
	if closed {
		s.removeLeafNodeConnection(c)
		if prev := acc.removeClient(c); prev == 1 {
			s.decActiveAccounts()
		}
	}
}

func (s *Server) addLeafNodeConnection(c *client) {
	s.mu.Lock()
	s.leafs[c.cid] = c
	s.mu.Unlock()
}

func (s *Server) removeLeafNodeConnection(c *client) {
	s.mu.Lock()
	delete(s.leafs, c.cid)
	s.mu.Unlock()
}

// registerWithAccount will register the given user with a specific account.
func (c *client) registerWithAccount(acc *Account) error {
	if acc == nil {
		return ErrBadAccount
	}
	c.mu.Lock()
	if c.isClosed() {
		c.mu.Unlock()
		return ErrConnectionClosed
	}
	c.acc = acc
	c.mu.Unlock()

	// Add in new one.
	prev, err := acc.addClient(c)
	if err == nil && prev == 0 {
		c.srv.incActiveAccounts()
	}
	return err
}

func (c *client) readLoop() {
	br := bufio.NewReader(c.nc)
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			c.closeConnection()
			return
		}
		if strings.HasPrefix(line, "PING") {
			c.mu.Lock()
			if c.ready {
				c.nc.Write([]byte("PONG\r\n"))
			}
			c.mu.Unlock()
		}
	}
}

func (c *client) closeConnection() {
	c.mu.Lock()
	if c.isClosed() {
		c.mu.Unlock()
		return
	}
	c.closed = true
	acc := c.acc
	c.mu.Unlock()

	c.nc.Close()
	// Unregister
	c.srv.removeLeafNodeConnection(c)
	if acc != nil {
		if prev := acc.removeClient(c); prev == 1 {
			c.srv.decActiveAccounts()
		}
	}
}
