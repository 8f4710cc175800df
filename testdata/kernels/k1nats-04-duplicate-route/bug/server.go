// Package server connects the servers of a cluster with routes.
package server

import (
	"bufio"
	"log"
	"net"
	"sync"
)

// Debug logs.
func Debug(v ...any) { log.Println(v...) }

// Server is one server of the cluster.
type Server struct {
	id string

	mu      sync.Mutex
	gcid    uint64
	clients map[uint64]*client
	routes  map[uint64]*client
	remotes map[string]*client // by the id of the remote server
}

// New returns a server without connections.
func New(id string) *Server {
	return &Server{
		id:      id,
		clients: make(map[uint64]*client),
		routes:  make(map[uint64]*client),
		remotes: make(map[string]*client),
	}
}

func (s *Server) newClient(conn net.Conn, typ int) *client {
	return &client{srv: s, nc: conn, typ: typ, subs: make(map[string]*subscription), bw: bufio.NewWriter(conn)}
}

// CreateClient serves a client connection.
func (s *Server) CreateClient(conn net.Conn) {
	c := s.newClient(conn, CLIENT)
	s.mu.Lock()
	s.gcid++
	c.cid = s.gcid
	s.clients[c.cid] = c
	s.mu.Unlock()
	go c.readLoop()
}

// Remove a client or route from our internal accounting.
func (s *Server) removeClient(c *client) {
	var rID string
	c.mu.Lock()
	cid := c.cid
	if r := c.route; r != nil {
		rID = r.remoteID
	}
	c.mu.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	switch c.typ {
	case CLIENT:
		delete(s.clients, cid)
	case ROUTER:
		delete(s.routes, cid)
		if rc, ok := s.remotes[rID]; ok && rc == c {
			delete(s.remotes, rID)
		}
	}
}

// NumRoutes will report the number of registered routes.
func (s *Server) NumRoutes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.remotes)
}
