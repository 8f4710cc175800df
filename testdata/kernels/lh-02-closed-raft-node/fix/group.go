package server

import (
	"errors"
	"path/filepath"
	"sync"
)

var (
	errNotActive    = errors.New("jetstream clustering not active")
	errShuttingDown = errors.New("shutting down")
)

// raftGroup is controlled by the metagroup controller.
// The raftGroups will house streams and consumers.
type raftGroup struct {
	Name      string
	Peers     []string
	Preferred string
	// Internal
	node RaftNode
}

func (rg *raftGroup) isMember(id string) bool {
	for _, peer := range rg.Peers {
		if peer == id {
			return true
		}
	}
	return false
}

// streamAssignment is what the meta controller uses to assign streams to peers.
type streamAssignment struct {
	Account string
	Name    string
	Group   *raftGroup
	removed bool
}

type jetStream struct {
	mu      sync.RWMutex
	srv     *Server
	metaID  string
	dir     string
	aq      chan *streamAssignment
	streams map[string]*streamAssignment
}

func newJetStream(s *Server, metaID, dir string) *jetStream {
	js := &jetStream{
		srv:     s,
		metaID:  metaID,
		dir:     dir,
		aq:      make(chan *streamAssignment, 64),
		streams: make(map[string]*streamAssignment),
	}
	s.startGoRoutine(js.monitorCluster)
	return js
}

func (js *jetStream) streamAssignment(name string) *streamAssignment {
	js.mu.RLock()
	defer js.mu.RUnlock()
	return js.streams[name]
}

// createRaftGroup is called to spin up this raft group if needed. It is only
// called from monitorCluster.
func (js *jetStream) createRaftGroup(rg *raftGroup) error {
	js.mu.Lock()
	s := js.srv
	if s == nil {
		js.mu.Unlock()
		return errNotActive
	}

	// If this is a single peer raft group or we are not a member return.
	if len(rg.Peers) <= 1 || !rg.isMember(js.metaID) {
		js.mu.Unlock()
		// Nothing to do here.
		return nil
	}

	// Check if we already have this assigned.
retry:
	if node := s.lookupRaftNode(rg.Name); node != nil {
		if node.State() == Closed {
			// We're waiting for this node to finish shutting down before we replace it.
			js.mu.Unlock()
			node.WaitForStop()
			js.mu.Lock()
			goto retry
		}
		s.Debugf("JetStream cluster already has raft group %q assigned", rg.Name)
		rg.node = node
		js.mu.Unlock()
		return nil
	}

	s.Debugf("JetStream cluster creating raft group:%+v", rg)
	cfg := &raftConfig{Name: rg.Name, Store: filepath.Join(js.dir, rg.Name)}
	js.mu.Unlock()

	if s.isShuttingDown() {
		return errShuttingDown
	}
	n, err := s.startRaftNode(cfg)
	if err != nil || n == nil {
		s.Debugf("Error creating raft group: %v", err)
		return err
	}
	// Need locking here for the assignment to avoid data-race reports
	js.mu.Lock()
	rg.node = n
	// See if we are preferred and should start campaign immediately.
	if n.ID() == rg.Preferred {
		n.Campaign()
	}
	js.mu.Unlock()
	return nil
}

// processStreamAssignment is called when followers have replicated an assignment.
func (js *jetStream) processStreamAssignment(sa *streamAssignment) {
	s := js.srv
	js.mu.Lock()
	js.streams[sa.Name] = sa
	js.mu.Unlock()

	if err := js.createRaftGroup(sa.Group); err != nil {
		s.Warnf("Stream create failed for '%s > %s': %v", sa.Account, sa.Name, err)
		return
	}
	js.mu.RLock()
	n := sa.Group.node
	js.mu.RUnlock()
	if n != nil {
		s.startGoRoutine(func() { js.monitorStream(sa, n) })
	}
}

func (js *jetStream) processStreamRemoval(sa *streamAssignment) {
	js.mu.Lock()
	var n RaftNode
	if osa := js.streams[sa.Name]; osa != nil {
		n = osa.Group.node
		osa.Group.node = nil
		delete(js.streams, sa.Name)
	}
	js.mu.Unlock()
	if n != nil {
		// Removing the store can take a while.
		go n.Delete()
	}
}

func (js *jetStream) monitorStream(sa *streamAssignment, n RaftNode) {
	s := js.srv
	defer s.grWG.Done()
	for {
		select {
		case <-s.quitCh:
			n.Stop()
			return
		case <-n.QuitC():
			s.Debugf("Exiting stream monitor for '%s > %s'", sa.Account, sa.Name)
			return
		case e := <-n.ApplyC():
			s.Debugf("'%s > %s' apply %d bytes", sa.Account, sa.Name, len(e))
		}
	}
}

func (js *jetStream) monitorCluster() {
	s := js.srv
	defer s.grWG.Done()
	for {
		select {
		case <-s.quitCh:
			return
		case sa := <-js.aq:
			if sa.removed {
				js.processStreamRemoval(sa)
			} else {
				js.processStreamAssignment(sa)
			}
		}
	}
}
