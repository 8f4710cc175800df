package server

import (
	"errors"
	"sync"
	"time"
)

const checkInterval = 2 * time.Minute

var errNotActive = errors.New("jetstream clustering not active")

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
	if rg == nil {
		return false
	}
	for _, peer := range rg.Peers {
		if peer == id {
			return true
		}
	}
	return false
}

// streamAssignment is what the meta controller uses to assign streams to peers.
type streamAssignment struct {
	Name  string
	Group *raftGroup
	// Internal
	consumers map[string]*consumerAssignment
	restore   bool
}

type consumerAssignment struct {
	Name  string
	Group *raftGroup
}

// metaEntry is a committed entry of the meta group.
type metaEntry struct {
	account string
	sa      *streamAssignment
}

type jetStreamCluster struct {
	// Committed entries, to be applied in order by monitorCluster.
	aq chan *metaEntry
	// The metacontroller raftNode.
	meta RaftNode
	// For stream and consumer assignments. All servers will have this be the same.
	// ACCOUNT -> STREAM -> Stream Assignment -> Consumers
	streams map[string]map[string]*streamAssignment
}

type jetStream struct {
	mu             sync.RWMutex
	srv            *Server
	cluster        *jetStreamCluster
	storeDir       string
	metaRecovering bool
}

func (js *jetStream) isMetaRecovering() bool {
	js.mu.RLock()
	defer js.mu.RUnlock()
	return js.metaRecovering
}

func (js *jetStream) setMetaRecovering(recovering bool) {
	js.mu.Lock()
	js.metaRecovering = recovering
	js.mu.Unlock()
}

func (js *jetStream) streamAssignment(account, stream string) *streamAssignment {
	js.mu.RLock()
	defer js.mu.RUnlock()
	if js.cluster == nil {
		return nil
	}
	return js.cluster.streams[account][stream]
}

// createRaftGroup is called to spin up this raft group if needed.
func (js *jetStream) createRaftGroup(rg *raftGroup) error {
	js.mu.Lock()
	s, cc := js.srv, js.cluster
	if cc == nil || cc.meta == nil {
		js.mu.Unlock()
		return errNotActive
	}

	// If this is a single peer raft group or we are not a member return.
	if len(rg.Peers) <= 1 || !rg.isMember(cc.meta.ID()) {
		js.mu.Unlock()
		// Nothing to do here.
		return nil
	}

	// Check if we already have this assigned.
	if node := s.lookupRaftNode(rg.Name); node != nil {
		s.Debugf("JetStream cluster already has raft group %q assigned", rg.Name)
		rg.node = node
		js.mu.Unlock()
		return nil
	}

	s.Debugf("JetStream cluster creating raft group:%+v", rg)
	storeDir := js.storeDir
	js.mu.Unlock()

	n, err := s.startRaftNode(&raftConfig{Name: rg.Name, Store: storeDir})
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

// Process the stream assignment. Called inline from monitorCluster.
func (js *jetStream) processStreamAssignment(account string, sa *streamAssignment) {
	js.mu.Lock()
	s, cc := js.srv, js.cluster
	if cc == nil {
		js.mu.Unlock()
		return
	}
	accStreams := cc.streams[account]
	if accStreams == nil {
		accStreams = make(map[string]*streamAssignment)
		cc.streams[account] = accStreams
	}
	accStreams[sa.Name] = sa
	js.mu.Unlock()

	if err := js.createRaftGroup(sa.Group); err != nil {
		s.Warnf("Stream create failed for '%s > %s': %v", account, sa.Name, err)
	}
}

func (js *jetStream) monitorCluster() {
	s := js.srv
	defer s.grWG.Done()

	js.mu.RLock()
	aq := js.cluster.aq
	js.mu.RUnlock()

	t := time.NewTicker(checkInterval)
	defer t.Stop()

	// Utility to check health.
	checkHealth := func() {
		if err := s.healthz(); err != nil {
			s.Warnf("%v", err)
		}
	}

	for {
		select {
		case <-s.quitCh:
			return
		case e := <-aq:
			js.processStreamAssignment(e.account, e.sa)
		case <-t.C:
			// Do this in a separate go routine.
			go checkHealth()
		}
	}
}
