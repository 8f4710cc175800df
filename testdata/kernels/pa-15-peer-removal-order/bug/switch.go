package p2p

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// Errors of AddPeer.
var (
	ErrDuplicatePeer = errors.New("p2p: duplicate peer")
	ErrStopped       = errors.New("p2p: switch stopped")
)

// ID is the public key of a node.
type ID string

// Conn is an authenticated connection.
type Conn interface {
	RemoteID() ID
	Recv() (channel byte, msg []byte, err error)
	Close() error
}

// Reactor handles the messages of a protocol.
type Reactor interface {
	AddPeer(ID)
	RemovePeer(id ID, reason error)
	Receive(from ID, msg []byte) error
}

// peerSet is the set of connected peers.
type peerSet struct {
	mu     sync.Mutex
	conns  map[ID]Conn
	closed bool
}

func (ps *peerSet) add(c Conn) error {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.closed {
		return ErrStopped
	}
	if _, dup := ps.conns[c.RemoteID()]; dup {
		return ErrDuplicatePeer
	}
	ps.conns[c.RemoteID()] = c
	return nil
}

func (ps *peerSet) remove(id ID) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	delete(ps.conns, id)
}

func (ps *peerSet) close() []Conn {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.closed = true
	var cs []Conn
	for _, c := range ps.conns {
		cs = append(cs, c)
	}
	return cs
}

// Switch connects peers and reactors.
type Switch struct {
	reactors map[byte]Reactor
	peers    peerSet
}

// NewSwitch returns a switch for the reactors, by channel.
func NewSwitch(reactors map[byte]Reactor) *Switch {
	return &Switch{reactors: reactors, peers: peerSet{conns: make(map[ID]Conn)}}
}

// AddPeer takes over a connection that was dialed or accepted.
func (sw *Switch) AddPeer(c Conn) error {
	if err := sw.peers.add(c); err != nil {
		c.Close()
		return fmt.Errorf("peer %s: %w", c.RemoteID(), err)
	}
	for _, r := range sw.reactors {
		r.AddPeer(c.RemoteID())
	}
	go sw.recvLoop(c)
	return nil
}

func (sw *Switch) recvLoop(c Conn) {
	for {
		ch, msg, err := c.Recv()
		if err == nil {
			err = sw.dispatch(c.RemoteID(), ch, msg)
		}
		if err != nil {
			sw.stopPeer(c, err)
			return
		}
	}
}

func (sw *Switch) dispatch(from ID, ch byte, msg []byte) error {
	r, ok := sw.reactors[ch]
	if !ok {
		return fmt.Errorf("unknown channel %#x", ch)
	}
	return r.Receive(from, msg)
}

// stopPeer ends the peer of c. Only its receive loop calls it.
func (sw *Switch) stopPeer(c Conn, reason error) {
	id := c.RemoteID()
	slog.Info("p2p: stopping peer", "peer", id, "reason", reason)
	sw.peers.remove(id)
	c.Close()
	for _, r := range sw.reactors {
		r.RemovePeer(id, reason)
	}
}

// Stop disconnects all peers and refuses new ones.
func (sw *Switch) Stop() {
	for _, c := range sw.peers.close() {
		c.Close()
	}
}
