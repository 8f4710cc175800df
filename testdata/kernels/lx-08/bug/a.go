package bug

import "sync"

type CommittedEntry struct {
	Index uint64
}

// RaftNode is the group of one consumer.
type RaftNode struct {
	mu      sync.Mutex
	deleted bool
	applied uint64
	ApplyQ  chan *CommittedEntry
}

func (n *RaftNode) Applied(index uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.deleted {
		panic("raft: applied on a deleted group")
	}
	n.applied = index
}

func (n *RaftNode) Delete() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deleted = true
}

type consumer struct {
	mu        sync.RWMutex
	name      string
	node      *RaftNode
	inMonitor bool
	mqch      chan struct{}
	mqonce    sync.Once
	monitorWg sync.WaitGroup
}

func newConsumer(name string) *consumer {
	return &consumer{
		name: name,
		node: &RaftNode{ApplyQ: make(chan *CommittedEntry, 8)},
		mqch: make(chan struct{}),
	}
}

func (o *consumer) raftNode() *RaftNode {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.node
}

// Will check if we are running in the monitor already and if not set the appropriate flag.
func (o *consumer) checkInMonitor() bool {
	o.mu.Lock()
	defer o.mu.Unlock()

	if o.inMonitor {
		return true
	}
	o.inMonitor = true
	return false
}

// Clear us being in the monitor routine.
func (o *consumer) clearMonitorRunning() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inMonitor = false
}

// Test whether we are in the monitor routine.
func (o *consumer) isMonitorRunning() bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.inMonitor
}

func (o *consumer) signalMonitorQuit() {
	o.mqonce.Do(func() { close(o.mqch) })
}

type jetStream struct {
	mu        sync.RWMutex
	consumers map[string]*consumer
}

func newJetStream() *jetStream {
	return &jetStream{consumers: make(map[string]*consumer)}
}

// processClusterCreateConsumer is called for the assignments of the meta layer.
func (js *jetStream) processClusterCreateConsumer(name string) {
	js.mu.Lock()
	o, alreadyRunning := js.consumers[name]
	if o == nil {
		o = newConsumer(name)
		js.consumers[name] = o
	}
	// Start our monitoring routine if needed.
	if !alreadyRunning && !o.isMonitorRunning() {
		o.monitorWg.Add(1)
		go js.monitorConsumer(o)
	}
	js.mu.Unlock()
}

func (js *jetStream) monitorConsumer(o *consumer) {
	n := o.raftNode()
	defer o.monitorWg.Done()

	if n == nil {
		return
	}
	// Make sure only one is running.
	if o.checkInMonitor() {
		return
	}
	defer o.clearMonitorRunning()

	for {
		select {
		case <-o.mqch:
			return
		case ce := <-n.ApplyQ:
			n.Applied(ce.Index)
		}
	}
}

// resetClusteredState stops all the consumers and removes their groups.
func (js *jetStream) resetClusteredState() {
	js.mu.Lock()
	consumers := js.consumers
	js.consumers = make(map[string]*consumer)
	js.mu.Unlock()

	for _, o := range consumers {
		if o.isMonitorRunning() {
			o.signalMonitorQuit()
			o.monitorWg.Wait()
		}
		if node := o.raftNode(); node != nil {
			node.Delete()
		}
	}
}
