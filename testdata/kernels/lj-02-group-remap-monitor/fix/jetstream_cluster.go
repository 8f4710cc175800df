package server

import (
	"log"
	"sync"
)

type Server struct {
	grMu      sync.Mutex
	grRunning bool
	grWG      sync.WaitGroup
}

func (s *Server) startGoRoutine(f func()) bool {
	s.grMu.Lock()
	defer s.grMu.Unlock()
	if !s.grRunning {
		return false
	}
	s.grWG.Add(1)
	go f()
	return true
}

func (s *Server) Warnf(format string, args ...any) { log.Printf("[WRN] "+format, args...) }

type raftGroup struct {
	Name  string
	Peers []string
	node  *raftNode
}

type streamAssignment struct {
	Config    streamConfig
	Group     *raftGroup
	responded bool
}

type jetStream struct {
	mu      sync.RWMutex
	srv     *Server
	streams map[string]*stream
	assigns map[string]*streamAssignment
}

func newJetStream() *jetStream {
	return &jetStream{
		srv:     &Server{grRunning: true},
		streams: make(map[string]*stream),
		assigns: make(map[string]*streamAssignment),
	}
}

func (js *jetStream) lookupStream(name string) *stream {
	js.mu.RLock()
	defer js.mu.RUnlock()
	return js.streams[name]
}

// monitorCluster applies the assignments of the meta layer, one after the other.
func (js *jetStream) monitorCluster(updates <-chan *streamAssignment) {
	for sa := range updates {
		js.processUpdateStreamAssignment(sa)
	}
}

func (js *jetStream) processUpdateStreamAssignment(sa *streamAssignment) {
	js.mu.Lock()
	osa := js.assigns[sa.Config.Name]
	js.assigns[sa.Config.Name] = sa
	if osa == nil {
		js.mu.Unlock()
		js.processClusterCreateStream(sa)
		return
	}
	if osa.Group.Name == sa.Group.Name {
		// Copy over the running node of the same group.
		sa.Group.node = osa.Group.node
	}
	js.mu.Unlock()
	js.processClusterUpdateStream(osa, sa)
}

// createRaftGroup is called to spin up this raft group if needed.
func (js *jetStream) createRaftGroup(rg *raftGroup) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if rg.node == nil {
		rg.node = newRaftNode(rg.Name)
	}
}

func (js *jetStream) groupNode(rg *raftGroup) *raftNode {
	js.mu.RLock()
	defer js.mu.RUnlock()
	return rg.node
}

// startMonitor runs the monitor routine for this stream.
func (js *jetStream) startMonitor(mset *stream, sa *streamAssignment) {
	mset.monitorWg.Add(1)
	// Start monitoring..
	started := js.srv.startGoRoutine(func() { js.monitorStream(mset, sa) })
	if !started {
		mset.monitorWg.Done()
	}
}

func (js *jetStream) processClusterCreateStream(sa *streamAssignment) {
	mset := &stream{cfg: sa.Config}
	js.mu.Lock()
	js.streams[sa.Config.Name] = mset
	js.mu.Unlock()

	if len(sa.Group.Peers) > 1 {
		js.createRaftGroup(sa.Group)
		mset.setStreamAssignment(sa, js.groupNode(sa.Group))
		js.startMonitor(mset, sa)
		return
	}
	mset.setStreamAssignment(sa, nil)
}

func (js *jetStream) processClusterUpdateStream(osa, sa *streamAssignment) {
	js.mu.Lock()
	s, rg := js.srv, sa.Group
	alreadyRunning, numReplicas := osa.Group.node != nil, len(rg.Peers)
	needsNode := rg.node == nil
	cfg := sa.Config
	sa.responded = true
	js.mu.Unlock()

	mset := js.lookupStream(cfg.Name)
	if mset == nil {
		js.processClusterCreateStream(sa)
		return
	}

	// Make sure we have not had a new group assigned to us.
	if osa.Group.Name != sa.Group.Name {
		s.Warnf("JetStream cluster detected stream remapping for '%s' from %q to %q",
			cfg.Name, osa.Group.Name, sa.Group.Name)
		mset.removeNode()
		mset.signalMonitorQuit()
		mset.monitorWg.Wait()
		alreadyRunning, needsNode = false, true
		// Make sure to clear from original.
		js.mu.Lock()
		osa.Group.node = nil
		js.mu.Unlock()
	}

	if !alreadyRunning && numReplicas > 1 {
		if needsNode {
			// Since we are scaling up we want to make sure our sync subject
			// is registered before we start our raft node.
			mset.mu.Lock()
			mset.startClusterSubs()
			mset.mu.Unlock()

			js.createRaftGroup(rg)
		}
		js.startMonitor(mset, sa)
	} else if numReplicas == 1 && alreadyRunning {
		// We downgraded to R1. Make sure we cleanup the raft node and the stream monitor.
		mset.removeNode()
		mset.signalMonitorQuit()
		mset.monitorWg.Wait()
		// In case we need to shutdown the cluster specific subs, etc.
		mset.mu.Lock()
		// Stop responding to sync requests.
		mset.stopClusterSubs()
		mset.mu.Unlock()
		// Remove from meta layer.
		js.mu.Lock()
		rg.node = nil
		js.mu.Unlock()
	}
	// Set the new stream assignment.
	mset.setStreamAssignment(sa, js.groupNode(rg))
	// Call update.
	mset.update(cfg)
}

func (js *jetStream) monitorStream(mset *stream, sa *streamAssignment) {
	s := js.srv
	defer s.grWG.Done()
	defer mset.monitorWg.Done()

	n := js.groupNode(sa.Group)
	if n == nil {
		s.Warnf("No RAFT group for '%s'", sa.Config.Name)
		return
	}

	// Make sure only one is running.
	if mset.checkInMonitor() {
		return
	}
	defer mset.clearMonitorRunning()

	// Make sure to stop the raft group on exit to prevent accidental memory bloat.
	// This should be below the checkInMonitor call though to avoid stopping it out
	// from underneath the one that is running since it will be the same raft node.
	defer n.Stop()

	qch, mqch, aq := n.QuitC(), mset.monitorQuitC(), n.ApplyQ()
	for {
		select {
		case <-qch:
			return
		case <-mqch:
			return
		case e := <-aq:
			mset.applyEntry(e)
		}
	}
}
