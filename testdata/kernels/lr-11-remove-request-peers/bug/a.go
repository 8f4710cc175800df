package lr11

import (
	"errors"
	"sync"
)

var (
	errNotMember = errors.New("peer not a member")
	errNotLeader = errors.New("not leader")
)

type entry struct {
	peer   string
	remove bool
}

// raftNode replicates membership changes; committed entries arrive on applyc.
type raftNode struct {
	mu     sync.RWMutex
	leader bool
	peers  map[string]struct{}
	propc  chan entry
	applyc chan entry
}

func newRaftNode(peers ...string) *raftNode {
	n := &raftNode{leader: true, peers: make(map[string]struct{}), propc: make(chan entry, 64), applyc: make(chan entry, 64)}
	for _, p := range peers {
		n.peers[p] = struct{}{}
	}
	go n.run()
	return n
}

func (n *raftNode) run() {
	for e := range n.propc {
		n.mu.Lock()
		if e.remove {
			delete(n.peers, e.peer)
		} else {
			n.peers[e.peer] = struct{}{}
		}
		n.mu.Unlock()
		n.applyc <- e
	}
}

func (n *raftNode) Peers() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	var ps []string
	for p := range n.peers {
		ps = append(ps, p)
	}
	return ps
}

func (n *raftNode) ProposeRemovePeer(peer string) error {
	n.mu.RLock()
	leader := n.leader
	n.mu.RUnlock()
	if !leader {
		return errNotLeader
	}
	n.propc <- entry{peer: peer, remove: true}
	return nil
}

type cluster struct {
	meta            *raftNode
	peerRemoveReply map[string]string
}

type jetStream struct {
	mu      sync.RWMutex
	cluster *cluster
	send    func(reply string, err error)
}

func newJetStream(n *raftNode, send func(string, error)) *jetStream {
	js := &jetStream{cluster: &cluster{meta: n}, send: send}
	go js.monitorCluster()
	return js
}

func (js *jetStream) monitorCluster() {
	for e := range js.cluster.meta.applyc {
		if e.remove {
			js.processRemovePeer(e.peer)
		}
	}
}

func (js *jetStream) processRemovePeer(peer string) {
	js.mu.Lock()
	cc := js.cluster
	reply, ok := cc.peerRemoveReply[peer]
	if ok {
		delete(cc.peerRemoveReply, peer)
		if len(cc.peerRemoveReply) == 0 {
			cc.peerRemoveReply = nil
		}
	}
	js.mu.Unlock()
	if ok {
		js.send(reply, nil)
	}
}

// ServerRemoveRequest asks the meta leader to remove a peer; the answer is
// sent to reply when the removal has been committed.
func (js *jetStream) ServerRemoveRequest(peer, reply string) {
	js.mu.Lock()
	defer js.mu.Unlock()
	cc := js.cluster

	var found string
	for _, p := range cc.meta.Peers() {
		if p == peer {
			found = p
			break
		}
	}
	if found == "" {
		js.send(reply, errNotMember)
		return
	}

	if err := cc.meta.ProposeRemovePeer(found); err == nil {
		if cc.peerRemoveReply == nil {
			cc.peerRemoveReply = make(map[string]string, 1)
		}
		cc.peerRemoveReply[found] = reply
	}
}
