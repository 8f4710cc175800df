package les

import (
	"errors"
	"sync"
	"time"
)

var (
	errClosed            = errors.New("peer set is closed")
	errAlreadyRegistered = errors.New("peer is already registered")
	errNotRegistered     = errors.New("peer is not registered")
)

// MsgWriter writes protocol messages to the connection of a peer.
type MsgWriter interface {
	WriteMsg(code uint64, data interface{}) error
	SetDeadline(t time.Time) error
}

type peer struct {
	id      string
	version int
	rw      MsgWriter

	lock sync.RWMutex
	head uint64

	sendQueue *execQueue
}

func newPeer(version int, id string, rw MsgWriter) *peer {
	return &peer{
		id:      id,
		version: version,
		rw:      rw,
	}
}

func (p *peer) canQueue() bool {
	return p.sendQueue.canQueue()
}

func (p *peer) queueSend(f func()) {
	p.sendQueue.queue(f)
}

// Head retrieves a copy of the current head (most recent) number of the peer.
func (p *peer) Head() uint64 {
	p.lock.RLock()
	defer p.lock.RUnlock()
	return p.head
}

// SetHead updates the head of the peer.
func (p *peer) SetHead(number uint64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.head = number
}

// SendAnnounce announces the availability of a number of blocks through
// a hash notification.
func (p *peer) SendAnnounce(number uint64) {
	p.queueSend(func() {
		p.rw.SetDeadline(time.Now().Add(20 * time.Second))
		p.rw.WriteMsg(0x01, number)
	})
}

// peerSet represents the collection of active peers currently participating in
// the Light Ethereum sub-protocol.
type peerSet struct {
	peers  map[string]*peer
	lock   sync.RWMutex
	closed bool
}

// newPeerSet creates a new peer set to track the active participants.
func newPeerSet() *peerSet {
	return &peerSet{
		peers: make(map[string]*peer),
	}
}

// Register injects a new peer into the working set, or returns an error if the
// peer is already known.
func (ps *peerSet) Register(p *peer) error {
	ps.lock.Lock()
	defer ps.lock.Unlock()

	if ps.closed {
		return errClosed
	}
	if _, ok := ps.peers[p.id]; ok {
		return errAlreadyRegistered
	}
	p.sendQueue = newExecQueue(100)
	ps.peers[p.id] = p
	return nil
}

// Unregister removes a remote peer from the active set, disabling any further
// actions to/from that particular entity.
func (ps *peerSet) Unregister(id string) error {
	ps.lock.Lock()
	defer ps.lock.Unlock()

	if p, ok := ps.peers[id]; !ok {
		return errNotRegistered
	} else {
		p.sendQueue.quit()
	}
	delete(ps.peers, id)
	return nil
}

// AllPeers returns all peers in a list
func (ps *peerSet) AllPeers() []*peer {
	ps.lock.RLock()
	defer ps.lock.RUnlock()

	list := make([]*peer, 0, len(ps.peers))
	for _, peer := range ps.peers {
		list = append(list, peer)
	}
	return list
}

// Close disconnects all peers. No new peers can be registered
// after Close has returned.
func (ps *peerSet) Close() {
	ps.lock.Lock()
	defer ps.lock.Unlock()
	ps.closed = true
}

// blockLoop broadcasts new heads to all peers that can take them.
func blockLoop(ps *peerSet, heads <-chan uint64, quit <-chan struct{}) {
	for {
		select {
		case number := <-heads:
			for _, p := range ps.AllPeers() {
				if p.canQueue() {
					p.SendAnnounce(number)
				}
			}
		case <-quit:
			return
		}
	}
}
