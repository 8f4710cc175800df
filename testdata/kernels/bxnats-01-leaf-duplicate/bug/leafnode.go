// Package bug accepts connections of leaf nodes.
package bug

import (
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// ErrWrongGateway is returned for gateways that connect to the leaf port.
var ErrWrongGateway = errors.New("wrong gateway")

// Account groups subjects.
type Account struct {
	Name string

	mu   sync.RWMutex
	subs map[string]int
}

type leaf struct {
	isSpoke       bool
	remoteCluster string
}

type client struct {
	cid uint64
	nc  io.WriteCloser
	srv *Server

	mu     sync.Mutex
	acc    *Account
	name   string
	leaf   leaf
	closed bool
}

// Server is safe for concurrent use.
type Server struct {
	mu        sync.RWMutex
	leafs     map[uint64]*client
	grTmp     map[uint64]*client
	connected int
}

type leafConnectInfo struct {
	Name    string `json:"name,omitempty"`
	Hub     bool   `json:"is_hub,omitempty"`
	Cluster string `json:"cluster,omitempty"`
	Gateway string `json:"gateway,omitempty"`
}

// processLeafNodeConnect is called by the read loop of the connection.
func (c *client) processLeafNodeConnect(s *Server, arg []byte) error {
	proto := &leafConnectInfo{}
	if err := json.Unmarshal(arg, proto); err != nil {
		return err
	}
	if proto.Gateway != "" {
		c.closeConnection()
		return ErrWrongGateway
	}

	// Check for stale connection from same server/account
	c.replaceOldLeafNodeConnIfNeeded(s, proto)

	c.mu.Lock()
	c.name = proto.Name
	c.leaf.isSpoke = proto.Hub
	c.leaf.remoteCluster = proto.Cluster
	c.mu.Unlock()

	s.sendSubs(c)

	// Add in the leafnode here since we passed through auth at this point.
	s.addLeafNodeConnection(c)
	return nil
}

func (c *client) replaceOldLeafNodeConnIfNeeded(s *Server, connInfo *leafConnectInfo) {
	var accName string
	c.mu.Lock()
	if c.acc != nil {
		accName = c.acc.Name
	}
	c.mu.Unlock()

	var old *client
	s.mu.Lock()
	for _, ol := range s.leafs {
		ol.mu.Lock()
		if ol.name == connInfo.Name && connInfo.Name != "" && ol.acc.Name == accName {
			old = ol
		}
		ol.mu.Unlock()
		if old != nil {
			break
		}
	}
	s.mu.Unlock()
	if old != nil {
		old.closeConnection()
	}
}

func (s *Server) addLeafNodeConnection(c *client) {
	s.mu.Lock()
	s.leafs[c.cid] = c
	delete(s.grTmp, c.cid)
	s.mu.Unlock()
}

func (s *Server) removeLeafNodeConnection(c *client) {
	s.mu.Lock()
	delete(s.leafs, c.cid)
	delete(s.grTmp, c.cid)
	s.mu.Unlock()
}

func (c *client) closeConnection() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	nc, s := c.nc, c.srv
	c.mu.Unlock()
	nc.Close()
	s.removeLeafNodeConnection(c)
}

func (s *Server) sendSubs(c *client) {
	c.mu.Lock()
	acc, nc := c.acc, c.nc
	c.mu.Unlock()
	acc.mu.RLock()
	var b []byte
	for subj := range acc.subs {
		b = append(append(b, "LS+ "...), subj...)
		b = append(b, "\r\n"...)
	}
	acc.mu.RUnlock()
	nc.Write(b)
}

// accept registers a connection that has not said anything yet.
func (s *Server) accept(nc io.WriteCloser, acc *Account) *client {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connected++
	c := &client{cid: uint64(s.connected), nc: nc, srv: s, acc: acc}
	s.grTmp[c.cid] = c
	return c
}

// forward sends a message to all leafs.
func (s *Server) forward(msg []byte) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, c := range s.leafs {
		c.nc.Write(msg)
	}
}
