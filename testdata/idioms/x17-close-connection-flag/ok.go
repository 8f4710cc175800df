// Package ok closes client connections.
package ok

import (
	"net"
	"sync"
)

type clientFlag uint16

const (
	connectReceived clientFlag = 1 << iota
	closeConnection
	connMarkedClosed
)

func (cf *clientFlag) set(c clientFlag)       { *cf |= c }
func (cf clientFlag) isSet(c clientFlag) bool { return cf&c != 0 }

// setIfNotSet returns true if the flag was not set before.
func (cf *clientFlag) setIfNotSet(c clientFlag) bool {
	if *cf&c == 0 {
		*cf |= c
		return true
	}
	return false
}

type client struct {
	cid uint64
	srv *Server

	mu    sync.Mutex
	flags clientFlag
	nc    net.Conn
	subs  map[string]int
}

// Server is safe for concurrent use.
type Server struct {
	mu       sync.Mutex
	clients  map[uint64]*client
	interest map[string]int
	closed   int
}

func (s *Server) removeClient(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, c.cid)
}

func (s *Server) dropInterest(subs map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for subj, n := range subs {
		if s.interest[subj] -= n; s.interest[subj] <= 0 {
			delete(s.interest, subj)
		}
	}
	s.closed++
}

// subscribe is called by the read loop.
func (c *client) subscribe(subj string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flags.isSet(closeConnection) {
		return false
	}
	c.subs[subj]++
	// lock order: client before server
	c.srv.mu.Lock()
	c.srv.interest[subj]++
	c.srv.mu.Unlock()
	return true
}

// flushClients closes connections that do not take their data.
func (s *Server) flushClients(slow func(*client) bool) {
	s.mu.Lock()
	cs := make([]*client, 0, len(s.clients))
	for _, c := range s.clients {
		cs = append(cs, c)
	}
	s.mu.Unlock()
	for _, c := range cs {
		if slow(c) {
			c.close()
		}
	}
}

// close may be called by anybody, any number of times.
func (c *client) close() {
	c.mu.Lock()
	if !c.flags.setIfNotSet(closeConnection) {
		c.mu.Unlock()
		return
	}
	c.flags.set(connMarkedClosed)
	nc := c.nc
	c.nc = nil
	subs := c.subs
	c.subs = make(map[string]int)
	srv := c.srv
	c.mu.Unlock()

	if nc != nil {
		nc.Close()
	}
	if srv != nil {
		// Unregister
		srv.removeClient(c)
		srv.dropInterest(subs)
	}
}
