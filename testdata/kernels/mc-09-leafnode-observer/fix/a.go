package a

import (
	"sync"
)

type raft struct {
	sync.RWMutex
	group    string
	leader   bool
	observer bool
}

// SetObserver marks the node as (not) able to become a leader.
func (n *raft) SetObserver(isObserver bool) {
	n.Lock()
	defer n.Unlock()
	n.observer = isObserver
}

// IsObserver reports if the node can not become a leader.
func (n *raft) IsObserver() bool {
	n.RLock()
	defer n.RUnlock()
	return n.observer
}

// Leader returns if we are the leader for our group.
func (n *raft) Leader() bool {
	n.RLock()
	defer n.RUnlock()
	return n.leader
}

// StepDown will have a leader stepdown.
func (n *raft) StepDown() {
	n.Lock()
	defer n.Unlock()
	n.leader = false
}

type stream struct {
	mu        sync.RWMutex
	node      *raft
	consumers []*raft
}

func (mset *stream) raftNode() *raft {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.node
}

func (mset *stream) consumerNodes() []*raft {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return append([]*raft(nil), mset.consumers...)
}

// Account are subject namespace definitions.
type Account struct {
	mu    sync.RWMutex
	strms map[string]*stream
	// Guarantee that only one goroutine can be running either checkJetStreamMigrate
	// or clearObserverState at a given time for this account.
	jscmMu sync.Mutex
}

func (a *Account) streams() []*stream {
	a.mu.RLock()
	defer a.mu.RUnlock()
	var out []*stream
	for _, mset := range a.strms {
		out = append(out, mset)
	}
	return out
}

type leafNodeCfg struct {
	LocalAccount            string
	JetStreamClusterMigrate bool
}

// Server is our main struct.
type Server struct {
	mu       sync.RWMutex
	accounts map[string]*Account
}

func (s *Server) lookup(remote *leafNodeCfg) (*Account, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	acc, ok := s.accounts[remote.LocalAccount]
	return acc, ok && remote.JetStreamClusterMigrate
}

// clearObserverState clears any observer state such that stream or consumer
// assets on this server can become leaders again.
func (s *Server) clearObserverState(remote *leafNodeCfg) {
	acc, ok := s.lookup(remote)
	if !ok {
		return
	}
	acc.jscmMu.Lock()
	defer acc.jscmMu.Unlock()
	for _, mset := range acc.streams() {
		node := mset.raftNode()
		if node == nil {
			continue
		}
		for _, n := range mset.consumerNodes() {
			n.SetObserver(false)
		}
		node.SetObserver(false)
	}
}

// checkJetStreamMigrate migrates the assets away while the remote is gone.
func (s *Server) checkJetStreamMigrate(remote *leafNodeCfg) {
	acc, ok := s.lookup(remote)
	if !ok {
		return
	}
	acc.jscmMu.Lock()
	defer acc.jscmMu.Unlock()
	for _, mset := range acc.streams() {
		node := mset.raftNode()
		if node == nil {
			continue
		}
		for _, n := range mset.consumerNodes() {
			if n.Leader() {
				n.StepDown()
			}
			n.SetObserver(true)
		}
		if node.Leader() {
			node.StepDown()
		}
		// Ensure we can not become a leader while in this state.
		node.SetObserver(true)
	}
}

// reConnectToRemoteLeafNode is called when the connection was lost.
func (s *Server) reConnectToRemoteLeafNode(remote *leafNodeCfg) {
	go s.checkJetStreamMigrate(remote)
}

// connectToRemoteLeafNode is called when we solicited a connection.
func (s *Server) connectToRemoteLeafNode(remote *leafNodeCfg) {
	go s.clearObserverState(remote)
}
