package a

import (
	"errors"
	"slices"
	"sync"
)

var (
	errServerNotMember      = errors.New("peer is not a member of the cluster")
	errMemberChangeInflight = errors.New("cluster member change is in progress")
	errNotLeader            = errors.New("not the meta leader")
)

// metaGroup is the raft group of the meta layer. A proposal returns as soon as
// it is queued; the removal takes effect when the entry has been applied.
type metaGroup interface {
	Peers() []string
	ProposeRemovePeer(peer string) error
	Applied() <-chan string
	LeaderChanges() <-chan bool
}

type jetStreamCluster struct {
	meta   metaGroup
	leader bool
	// Holds a map of a peer ID to the reply subject, to only respond after
	// gaining quorum on the peer-remove action.
	peerRemoveReply map[string]string
}

type jetStream struct {
	mu      sync.RWMutex
	cluster *jetStreamCluster
}

type Server struct {
	js    *jetStream
	sendq chan [2]string
	quit  chan struct{}
	once  sync.Once
}

func NewServer(meta metaGroup) *Server {
	s := &Server{
		js:    &jetStream{cluster: &jetStreamCluster{meta: meta}},
		sendq: make(chan [2]string, 64),
		quit:  make(chan struct{}),
	}
	go s.monitorCluster()
	return s
}

func (s *Server) Shutdown() { s.once.Do(func() { close(s.quit) }) }

// Responses delivers pairs of reply subject and message.
func (s *Server) Responses() <-chan [2]string { return s.sendq }

// RemovePeer is the entry of the system API.
func (s *Server) RemovePeer(peer, reply string) {
	go s.jsLeaderServerRemoveRequest(peer, reply)
}

func (s *Server) send(reply, msg string) {
	select {
	case s.sendq <- [2]string{reply, msg}:
	case <-s.quit:
	}
}

func (s *Server) jsLeaderServerRemoveRequest(peer, reply string) {
	if err := s.proposeServerRemove(peer, reply); err != nil {
		s.send(reply, err.Error())
	}
}

func (s *Server) proposeServerRemove(peer, reply string) error {
	js := s.js
	js.mu.Lock()
	defer js.mu.Unlock()

	cc := js.cluster
	if !cc.leader {
		return errNotLeader
	}

	if !slices.Contains(cc.meta.Peers(), peer) {
		return errServerNotMember
	}

	if err := cc.meta.ProposeRemovePeer(peer); err != nil {
		return err
	}
	if cc.peerRemoveReply == nil {
		cc.peerRemoveReply = make(map[string]string, 1)
	}
	cc.peerRemoveReply[peer] = reply
	return nil
}

func (s *Server) monitorCluster() {
	js, meta := s.js, s.js.cluster.meta
	for {
		select {
		case peer := <-meta.Applied():
			js.mu.Lock()
			cc := js.cluster
			reply, ok := cc.peerRemoveReply[peer]
			if ok {
				delete(cc.peerRemoveReply, peer)
			}
			if len(cc.peerRemoveReply) == 0 {
				cc.peerRemoveReply = nil
			}
			js.mu.Unlock()
			if ok {
				s.send(reply, "+OK")
			}
		case isLeader := <-meta.LeaderChanges():
			js.mu.Lock()
			js.cluster.leader = isLeader
			js.cluster.peerRemoveReply = nil
			js.mu.Unlock()
		case <-s.quit:
			return
		}
	}
}
