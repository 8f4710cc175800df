// Package ok keeps the list of servers a client may talk to.
package ok

import (
	"errors"
	"math/rand"
	"sync"
	"time"
)

var errNoServers = errors.New("no servers")

// Server is immutable.
type Server struct {
	Addr string
	DC   string
}

func (s *Server) equal(o *Server) bool { return s.Addr == o.Addr }

// Pool sends requests and pings.
type Pool interface {
	Ping(addr string) error
	Call(addr, method string, args any) (any, error)
}

// Manager owns the list.
type Manager struct {
	mu      sync.Mutex
	servers []*Server
	nodes   int
	pool    Pool
	timer   *time.Timer
	stop    chan struct{}
}

// NewManager returns a manager without servers.
func NewManager(pool Pool, stop chan struct{}) *Manager {
	return &Manager{pool: pool, timer: time.NewTimer(2 * time.Minute), stop: stop}
}

// Run rebalances now and then.
func (m *Manager) Run() {
	for {
		select {
		case <-m.timer.C:
			m.Reorder()
			m.timer.Reset(2 * time.Minute)
		case <-m.stop:
			return
		}
	}
}

// SetServers replaces the list.
func (m *Manager) SetServers(servers []*Server) {
	c := append([]*Server(nil), servers...)
	rand.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
	m.mu.Lock()
	defer m.mu.Unlock()
	m.servers = c
}

// First returns the server to be used now.
func (m *Manager) First() *Server {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.servers) == 0 {
		return nil
	}
	return m.servers[0]
}

// Demoted moves a server to the end if it is still the first.
func (m *Manager) Demoted(s *Server) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.servers) > 1 && m.servers[0].equal(s) {
		m.servers = append(append([]*Server(nil), m.servers[1:]...), m.servers[0])
	}
}

// NumServers returns the length of the list.
func (m *Manager) NumServers() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.servers)
}

// SetNumNodes notes the size of the cluster.
func (m *Manager) SetNumNodes(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nodes = n
}

// Servers returns a copy of the list.
func (m *Manager) Servers() []*Server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*Server(nil), m.servers...)
}

// Reorder pings the servers in random order and moves the dead ones back.
func (m *Manager) Reorder() {
	servers := m.Servers()
	rand.Shuffle(len(servers), func(i, j int) { servers[i], servers[j] = servers[j], servers[i] })
	for _, s := range servers {
		if m.pool.Ping(s.Addr) == nil {
			return
		}
		m.Demoted(s)
	}
}

// Call sends a request, with one more attempt per known server.
func (m *Manager) Call(method string, args any) (any, error) {
	err := errNoServers
	for i := m.NumServers(); i > 0; i-- {
		s := m.First()
		if s == nil {
			return nil, errNoServers
		}
		var out any
		out, err = m.pool.Call(s.Addr, method, args)
		if err == nil {
			return out, nil
		}
		m.Demoted(s)
	}
	return nil, err
}
