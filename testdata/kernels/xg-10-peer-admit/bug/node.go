// Package p2p keeps a bounded set of peers, at most one connection to each.
package p2p

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"
)

// Reasons to turn a connection away.
var (
	ErrSelf      = errors.New("p2p: connected to self")
	ErrDuplicate = errors.New("p2p: already connected")
	ErrTooMany   = errors.New("p2p: too many peers")
	ErrClosed    = errors.New("p2p: node is closed")
)

// Protocol is what peers speak to each other.
type Protocol interface {
	// Identify exchanges node ids.
	Identify(conn net.Conn) (id string, err error)
	// Negotiate exchanges capabilities.
	Negotiate(conn net.Conn) (version int, err error)
	// Run serves the peer until the connection fails.
	Run(p *Peer) error
}

// Peer is an admitted remote node.
type Peer struct {
	ID      string
	Version int
	Conn    net.Conn
}

// Node is safe for concurrent use.
type Node struct {
	self  string
	max   int
	proto Protocol

	mu     sync.Mutex
	peers  map[string]*Peer
	closed bool
}

// NewNode returns a node without peers.
func NewNode(self string, max int, proto Protocol) *Node {
	return &Node{self: self, max: max, proto: proto, peers: make(map[string]*Peer)}
}

// Serve admits inbound connections until the listener fails.
func (n *Node) Serve(ln net.Listener) error {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			if err := n.admit(conn); err != nil {
				slog.Debug("inbound peer rejected", "addr", conn.RemoteAddr(), "err", err)
			}
		}()
	}
}

// Dial connects to a peer.
func (n *Node) Dial(ctx context.Context, addr string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return n.admit(conn)
}

// admit takes a connection through the handshake and makes a peer of it.
func (n *Node) admit(conn net.Conn) error {
	p, err := n.handshake(conn)
	if err != nil {
		conn.Close()
		return err
	}
	n.add(p)
	go func() {
		err := n.proto.Run(p)
		slog.Info("peer gone", "id", p.ID, "err", err)
		n.drop(p)
	}()
	return nil
}

func (n *Node) handshake(conn net.Conn) (*Peer, error) {
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	id, err := n.proto.Identify(conn)
	if err != nil {
		return nil, err
	}
	if err := n.vet(id); err != nil {
		return nil, err
	}
	version, err := n.proto.Negotiate(conn)
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Time{})
	return &Peer{ID: id, Version: version, Conn: conn}, nil
}

// vet reports why a node cannot become a peer now.
func (n *Node) vet(id string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.closed:
		return ErrClosed
	case id == n.self:
		return ErrSelf
	case n.peers[id] != nil:
		return ErrDuplicate
	case len(n.peers) >= n.max:
		return ErrTooMany
	}
	return nil
}

func (n *Node) add(p *Peer) {
	n.mu.Lock()
	n.peers[p.ID] = p
	n.mu.Unlock()
}

func (n *Node) drop(p *Peer) {
	n.mu.Lock()
	if n.peers[p.ID] == p {
		delete(n.peers, p.ID)
	}
	n.mu.Unlock()
	p.Conn.Close()
}

// Close disconnects all peers and admits no more.
func (n *Node) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	for _, p := range n.peers {
		p.Conn.Close()
	}
}
