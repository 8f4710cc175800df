package bug

import (
	"encoding/json"
	"errors"
	"sync"
)

var errNodeClosed = errors.New("raft: node is closed")
var errNotMember = errors.New("server is not a member of the cluster")

type Peer struct {
	ID string
}

// raft is the node of the meta group; it has a lock of its own.
type raft struct {
	mu     sync.RWMutex
	leader bool
	closed bool
	peers  map[string]*Peer
}

func (n *raft) Leader() bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.leader
}

func (n *raft) Peers() []*Peer {
	n.mu.RLock()
	defer n.mu.RUnlock()
	peers := make([]*Peer, 0, len(n.peers))
	for _, p := range n.peers {
		peers = append(peers, p)
	}
	return peers
}

// ProposeRemovePeer refuses an unknown peer.
func (n *raft) ProposeRemovePeer(peer string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return errNodeClosed
	}
	if _, ok := n.peers[peer]; !ok {
		return errNotMember
	}
	delete(n.peers, peer)
	return nil
}

func (n *raft) Stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	n.leader = false
}

// jetStreamCluster is guarded by the lock of the jetStream.
type jetStreamCluster struct {
	meta *raft
}

// JetStream lock should be held.
func (cc *jetStreamCluster) isLeader() bool {
	return cc.meta != nil && cc.meta.Leader()
}

type jetStream struct {
	mu      sync.RWMutex
	cluster *jetStreamCluster
}

type nodeInfo struct {
	name string
}

type Server struct {
	mu         sync.RWMutex
	js         *jetStream
	nodeToInfo sync.Map
}

func (s *Server) getJetStreamCluster() (*jetStream, *jetStreamCluster) {
	s.mu.RLock()
	js := s.js
	s.mu.RUnlock()
	if js == nil {
		return nil, nil
	}
	js.mu.RLock()
	defer js.mu.RUnlock()
	return js, js.cluster
}

type removeRequest struct {
	Server string `json:"peer"`
	Peer   string `json:"peer_id,omitempty"`
}

func (s *Server) jsLeaderServerRemoveRequest(msg []byte) error {
	js, cc := s.getJetStreamCluster()
	if js == nil || cc == nil {
		return nil
	}

	// Extra checks here but only leader is listening.
	js.mu.RLock()
	isLeader := cc.isLeader()
	js.mu.RUnlock()

	if !isLeader {
		return nil
	}

	var req removeRequest
	if err := json.Unmarshal(msg, &req); err != nil {
		return err
	}

	var found string
	js.mu.RLock()
	for _, p := range cc.meta.Peers() {
		// If Peer is specified, it takes precedence
		if req.Peer != "" {
			if p.ID == req.Peer {
				found = req.Peer
				break
			}
			continue
		}
		si, ok := s.nodeToInfo.Load(p.ID)
		if ok && si.(nodeInfo).name == req.Server {
			found = p.ID
			break
		}
	}
	js.mu.RUnlock()

	if found == "" {
		return errNotMember
	}

	// So we have a valid peer.
	js.mu.Lock()
	err := cc.meta.ProposeRemovePeer(found)
	js.mu.Unlock()
	return err
}

// shutdownJetStream is called when the server goes down or leaves the cluster.
func (s *Server) shutdownJetStream() {
	js, cc := s.getJetStreamCluster()
	if js == nil || cc == nil {
		return
	}
	js.mu.Lock()
	meta := cc.meta
	cc.meta = nil
	js.mu.Unlock()

	if meta != nil {
		meta.Stop()
	}
}

// processRequests runs the API requests, each in its goroutine.
func (s *Server) processRequests(in <-chan []byte, quit <-chan struct{}) {
	for {
		select {
		case msg := <-in:
			go func() { _ = s.jsLeaderServerRemoveRequest(msg) }()
		case <-quit:
			s.shutdownJetStream()
			return
		}
	}
}
