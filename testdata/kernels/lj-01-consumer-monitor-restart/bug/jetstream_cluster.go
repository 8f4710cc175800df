package server

import "sync"

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
	go func() {
		defer s.grWG.Done()
		f()
	}()
	return true
}

type raftGroup struct {
	Name  string
	Peers []string
	node  *raftNode
}

func (rg *raftGroup) isMember(id string) bool {
	for _, peer := range rg.Peers {
		if peer == id {
			return true
		}
	}
	return false
}

type consumerAssignment struct {
	Name   string
	Stream string
	Group  *raftGroup
	err    error
}

type stream struct {
	mu        sync.RWMutex
	name      string
	consumers map[string]*consumer
}

func (mset *stream) lookupConsumer(name string) *consumer {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.consumers[name]
}

func (mset *stream) addConsumerWithAssignment(ca *consumerAssignment) *consumer {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if o := mset.consumers[ca.Name]; o != nil {
		return o
	}
	o := &consumer{stream: mset.name, name: ca.Name}
	mset.consumers[ca.Name] = o
	return o
}

type jetStream struct {
	mu           sync.RWMutex
	srv          *Server
	ourID        string
	streams      map[string]*stream
	shuttingDown bool
}

func newJetStream(id string) *jetStream {
	return &jetStream{
		srv:     &Server{grRunning: true},
		ourID:   id,
		streams: make(map[string]*stream),
	}
}

func (js *jetStream) lookupStream(name string) *stream {
	js.mu.RLock()
	defer js.mu.RUnlock()
	return js.streams[name]
}

// createRaftGroup is called to spin up this raft group if needed.
func (js *jetStream) createRaftGroup(rg *raftGroup) *raftNode {
	js.mu.Lock()
	defer js.mu.Unlock()
	if rg.node == nil {
		rg.node = newRaftNode(rg.Name)
	}
	return rg.node
}

// monitorCluster applies the assignments of the meta layer.
func (js *jetStream) monitorCluster(assignments <-chan *consumerAssignment) {
	for ca := range assignments {
		js.processConsumerAssignment(ca)
	}
}

func (js *jetStream) processConsumerAssignment(ca *consumerAssignment) {
	if ca.Group.isMember(js.ourID) {
		js.processClusterCreateConsumer(ca)
	} else if mset := js.lookupStream(ca.Stream); mset != nil {
		if o := mset.lookupConsumer(ca.Name); o != nil {
			// We have one here even though we are not a member. This can happen on re-assignment.
			js.removeConsumer(o, ca)
		}
	}
}

// Common function to remove ourselves from this server.
// This can happen on re-assignment, move, etc
func (js *jetStream) removeConsumer(o *consumer, nca *consumerAssignment) {
	if node := o.raftNode(); node != nil {
		node.StepDown()
		// shutdown monitor by shutting down raft.
		node.Delete()
	}
	// Make sure this node is no longer attached to our consumer assignment.
	js.mu.Lock()
	nca.Group.node = nil
	nca.err = nil
	isShuttingDown := js.shuttingDown
	js.mu.Unlock()

	if !isShuttingDown {
		// wait for monitor to be shutdown.
		o.signalMonitorQuit()
		o.monitorWg.Wait()
	}
	o.deleteWithoutAdvisory()
}

func (js *jetStream) processClusterCreateConsumer(ca *consumerAssignment) {
	mset := js.lookupStream(ca.Stream)
	if mset == nil {
		return
	}
	rg := ca.Group
	o := mset.addConsumerWithAssignment(ca)

	// Check for scale down to 1..
	if len(rg.Peers) == 1 {
		o.clearNode()
		o.signalMonitorQuit()
		o.monitorWg.Wait()
		// Need to clear from rg too.
		js.mu.Lock()
		rg.node = nil
		js.mu.Unlock()
		o.setLeader(true)
		return
	}

	o.setRaftNode(js.createRaftGroup(rg))
	// Start our monitoring routine if needed.
	if o.shouldStartMonitor() {
		started := js.srv.startGoRoutine(func() { js.monitorConsumer(o, ca) })
		if !started {
			o.clearMonitorRunning()
		}
	}
}

// resetClusteredState restarts the consumers of a stream whose state was reset.
func (js *jetStream) resetClusteredState(consumers []*consumerAssignment) {
	// Need to do the rest in a separate Go routine.
	go func() {
		for _, ca := range consumers {
			js.processClusterCreateConsumer(ca)
		}
	}()
}

func (js *jetStream) monitorConsumer(o *consumer, ca *consumerAssignment) {
	// Make sure only one is running.
	defer o.clearMonitorRunning()

	n := o.raftNode()
	if n == nil {
		return
	}
	qch, mqch, aq := n.QuitC(), o.monitorQuitC(), n.ApplyQ()
	for {
		select {
		case <-qch:
			return
		case <-mqch:
			return
		case e := <-aq:
			o.applyEntry(e)
		}
	}
}
