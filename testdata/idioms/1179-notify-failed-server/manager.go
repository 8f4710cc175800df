package servers

import (
	"log"
	"math/rand"
	"net"
	"sort"
	"sync"
	"time"
)

const clientRPCMinReuseDuration = 5 * time.Minute

// Pinger is an interface for pinging servers.
type Pinger interface {
	Ping(addr net.Addr) error
}

// Server contains the address of a server and metadata that can be used for
// choosing a server to contact.
type Server struct {
	// Addr is the resolved address of the server
	Addr net.Addr
}

// Equal compares the addresses.
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

// shuffle shuffles the server list in place
func (s Servers) shuffle() {
	for i := len(s) - 1; i > 0; i-- {
		j := rand.Int31n(int32(i + 1))
		s[i], s[j] = s[j], s[i]
	}
}

func (s Servers) Sort() {
	sort.Slice(s, func(i, j int) bool {
		return s[i].Addr.String() < s[j].Addr.String()
	})
}

// Manager keeps the list of servers with the one to use next in front.
type Manager struct {
	// servers is the list of all known Nomad servers.
	servers Servers

	// rebalanceTimer controls the duration of the rebalance interval
	rebalanceTimer *time.Timer

	// shutdownCh is a copy of the channel in Nomad.Client
	shutdownCh chan struct{}

	// connPoolPinger is used to test the health of a server in the connection
	// pool. Pinger is an interface that wraps client.ConnPool.
	connPoolPinger Pinger

	sync.Mutex
}

// New is the only way to safely create a new Manager struct.
func New(shutdownCh chan struct{}, connPoolPinger Pinger) *Manager {
	return &Manager{
		connPoolPinger: connPoolPinger,
		rebalanceTimer: time.NewTimer(clientRPCMinReuseDuration),
		shutdownCh:     shutdownCh,
	}
}

// Start is used to start and manage the task of automatically shuffling
// the list of Nomad servers in order to distribute load.
func (m *Manager) Start() {
	for {
		select {
		case <-m.rebalanceTimer.C:
			m.Lock()
			m.servers.shuffle()
			m.Unlock()
			m.rebalanceTimer.Reset(clientRPCMinReuseDuration)
		case <-m.shutdownCh:
			return
		}
	}
}

// SetServers sets the servers and returns if the new server list is different
// than the existing server set
func (m *Manager) SetServers(servers Servers) bool {
	m.Lock()
	defer m.Unlock()

	// If server list is equal don't change the list and return immediately
	// This prevents unnecessary shuffling of a failed server that was moved to the
	// bottom of the list
	if m.serversAreEqual(servers) {
		return false
	}

	// Randomize the incoming servers
	servers.shuffle()
	m.servers = servers
	return true
}

func (m *Manager) serversAreEqual(servers Servers) bool {
	current := make(Servers, len(m.servers))
	copy(current, m.servers)
	current.Sort()
	servers.Sort()
	if len(current) != len(servers) {
		return false
	}
	for i, s := range current {
		if !s.Equal(servers[i]) {
			return false
		}
	}
	return true
}

// FindServer returns a server to send an RPC too. If there are no servers, nil
// is returned.
func (m *Manager) FindServer() *Server {
	m.Lock()
	defer m.Unlock()

	if len(m.servers) == 0 {
		log.Print("no servers available")
		return nil
	}

	// Return whatever is at the front of the list because it is
	// assumed to be the oldest in the server list.
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
