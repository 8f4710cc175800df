package a

import (
	"errors"
	"sync"
)

var (
	errPeerSetClosed         = errors.New("peerset closed")
	errPeerAlreadyRegistered = errors.New("peer already registered")
)

type Peer struct {
	ID         string
	disconnect func()
}

type SnapPeer struct{ ID string }

type ethPeer struct {
	*Peer
	snapExt *SnapPeer
}

// peerSet represents the collection of active peers currently participating in
// the `eth` protocol, with or without the `snap` extension.
type peerSet struct {
	peers    map[string]*ethPeer
	snapWait map[string]chan *SnapPeer // Peers connected on `eth` waiting for their snap extension
	snapPend map[string]*SnapPeer      // Peers connected on the `snap` protocol, but not yet on `eth`

	lock   sync.RWMutex
	closed bool
	quitCh chan struct{} // Quit channel to signal termination
}

func newPeerSet() *peerSet {
	return &peerSet{
		peers:    make(map[string]*ethPeer),
		snapWait: make(map[string]chan *SnapPeer),
		snapPend: make(map[string]*SnapPeer),
		quitCh:   make(chan struct{}),
	}
}

// registerSnapExtension unblocks an already connected `eth` peer waiting for its
// `snap` extension, or if no such peer exists, tracks the extension.
func (ps *peerSet) registerSnapExtension(peer *SnapPeer) error {
	ps.lock.Lock()
	defer ps.lock.Unlock()

	id := peer.ID
	if _, ok := ps.peers[id]; ok {
		return errPeerAlreadyRegistered
	}
	if wait, ok := ps.snapWait[id]; ok {
		delete(ps.snapWait, id)
		select {
		case wait <- peer:
			return nil
		case <-ps.quitCh:
			return errPeerSetClosed
		}
	}
	ps.snapPend[id] = peer
	return nil
}

// waitSnapExtension blocks until the satellite protocol is connected.
func (ps *peerSet) waitSnapExtension(id string) (*SnapPeer, error) {
	ps.lock.Lock()
	if _, ok := ps.peers[id]; ok {
		ps.lock.Unlock()
		return nil, errPeerAlreadyRegistered
	}
	if _, ok := ps.snapWait[id]; ok {
		ps.lock.Unlock()
		return nil, errPeerAlreadyRegistered
	}
	if snap, ok := ps.snapPend[id]; ok {
		delete(ps.snapPend, id)
		ps.lock.Unlock()
		return snap, nil
	}
	wait := make(chan *SnapPeer)
	ps.snapWait[id] = wait
	ps.lock.Unlock()

	select {
	case p := <-wait:
		return p, nil
	case <-ps.quitCh:
		ps.lock.Lock()
		delete(ps.snapWait, id)
		ps.lock.Unlock()
		return nil, errPeerSetClosed
	}
}

func (ps *peerSet) registerPeer(peer *Peer, ext *SnapPeer) error {
	ps.lock.Lock()
	defer ps.lock.Unlock()
	if ps.closed {
		return errPeerSetClosed
	}
	if _, ok := ps.peers[peer.ID]; ok {
		return errPeerAlreadyRegistered
	}
	ps.peers[peer.ID] = &ethPeer{peer, ext}
	return nil
}

func (ps *peerSet) unregisterPeer(id string) {
	ps.lock.Lock()
	defer ps.lock.Unlock()
	delete(ps.peers, id)
}

// close disconnects all peers.
func (ps *peerSet) close() {
	ps.lock.Lock()
	defer ps.lock.Unlock()
	for _, p := range ps.peers {
		p.disconnect()
	}
	if !ps.closed {
		close(ps.quitCh)
	}
	ps.closed = true
}

// Handler runs the protocols; every connection calls it from a goroutine of its own.
type Handler struct {
	peers *peerSet
}

func NewHandler() *Handler { return &Handler{peers: newPeerSet()} }

func (h *Handler) RunEthPeer(peer *Peer, serve func(*Peer) error) error {
	snap, err := h.peers.waitSnapExtension(peer.ID)
	if err != nil {
		return err
	}
	if err := h.peers.registerPeer(peer, snap); err != nil {
		return err
	}
	defer h.peers.unregisterPeer(peer.ID)
	return serve(peer)
}

func (h *Handler) RunSnapExtension(peer *SnapPeer) error {
	return h.peers.registerSnapExtension(peer)
}

// Stop terminates all connections.
func (h *Handler) Stop() {
	h.peers.close()
}
