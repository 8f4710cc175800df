package servers

import (
	"math/rand"
	"net"
	"sync"
	"time"
)

// Server contains the address of a server. It is not modified.
type Server struct {
	Addr net.Addr
}

func (s *Server) Equal(o *Server) bool {
	return s.Addr.String() == o.Addr.String()
}

type Servers []*Server

// cycle cycles a list of servers in-place
func (s Servers) cycle() {
	numServers := len(s)
	if numServers < 2 {
		return // No action required
	}
	start := s[0]
	for i := 1; i < numServers; i++ {
		s[i-1] = s[i]
	}
	s[numServers-1] = start
}

func (s Servers) shuffle() {
	rand.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}

// Manager keeps the servers, the preferred one first.
type Manager struct {
	// servers is the list of all known Nomad servers.
	servers Servers

	shutdownCh chan struct{}

	sync.Mutex
}

func New(shutdownCh chan struct{}) *Manager {
	return &Manager{shutdownCh: shutdownCh}
}

// SetServers is called with each heartbeat reply.
func (m *Manager) SetServers(servers Servers) {
	servers = append(Servers(nil), servers...)
	servers.shuffle()
	m.Lock()
	defer m.Unlock()
	m.servers = servers
}

// FindServer returns a server to send an RPC too. If there are no servers, nil
// is returned.
func (m *Manager) FindServer() *Server {
	m.Lock()
	defer m.Unlock()
	if len(m.servers) == 0 {
		return nil
	}
	return m.servers[0]
}

// NotifyFailedServer marks the passed in server as "failed" by rotating it
// to the end of the server list.
func (m *Manager) NotifyFailedServer(s *Server) {
	m.Lock()
	defer m.Unlock()

	// If the server being failed is not the first server on the list,
	// this is a noop.  If, however, the server is failed and first on
	// the list, move the server to the end of the list.
	if len(m.servers) > 1 && m.servers[0].Equal(s) {
		m.servers.cycle()
	}
}

// NumServers returns the total number of known servers whether healthy or not.
func (m *Manager) NumServers() int {
	m.Lock()
	defer m.Unlock()
	return len(m.servers)
}

// Client sends RPCs; many goroutines use it.
type Client struct {
	servers *Manager
	call    func(addr net.Addr, method string, args, reply any) error
	timeout time.Duration
}

// RPC is used to forward an RPC call to a nomad server, or fail if no servers.
func (c *Client) RPC(method string, args, reply any) error {
	deadline := time.Now().Add(c.timeout)
	for {
		server := c.servers.FindServer()
		if server == nil {
			return net.ErrClosed
		}
		err := c.call(server.Addr, method, args, reply)
		if err == nil {
			return nil
		}

		// Move off to another server, and see if we can retry.
		c.servers.NotifyFailedServer(server)
		if time.Now().After(deadline) {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-c.servers.shutdownCh:
			return err
		}
	}
}
