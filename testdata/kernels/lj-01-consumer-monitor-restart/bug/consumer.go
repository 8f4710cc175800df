package server

import (
	"sync"
	"sync/atomic"
)

type raftNode struct {
	group  string
	leader atomic.Bool
	once   sync.Once
	quit   chan struct{}
	apply  chan []byte
}

func newRaftNode(group string) *raftNode {
	return &raftNode{group: group, quit: make(chan struct{}), apply: make(chan []byte, 64)}
}

func (n *raftNode) QuitC() <-chan struct{} { return n.quit }
func (n *raftNode) ApplyQ() <-chan []byte  { return n.apply }
func (n *raftNode) StepDown()              { n.leader.Store(false) }
func (n *raftNode) Delete()                { n.once.Do(func() { close(n.quit) }) }

// Consumer is a jetstream consumer.
type consumer struct {
	mu     sync.RWMutex
	stream string
	name   string
	node   *raftNode
	leader bool
	closed bool
	dseq   uint64
	mqch   chan struct{}

	monitorWg sync.WaitGroup
	inMonitor bool
}

func (o *consumer) raftNode() *raftNode {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.node
}

func (o *consumer) setRaftNode(n *raftNode) {
	o.mu.Lock()
	o.node = n
	o.mu.Unlock()
}

// clearNode stops our raft node and detaches it.
func (o *consumer) clearNode() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.node != nil {
		o.node.Delete()
		o.node = nil
	}
}

func (o *consumer) setLeader(isLeader bool) {
	o.mu.Lock()
	o.leader = isLeader
	o.mu.Unlock()
}

// shouldStartMonitor will return true if we should start a monitor
// goroutine or will return false if one is already running.
func (o *consumer) shouldStartMonitor() bool {
	o.mu.Lock()
	defer o.mu.Unlock()

	if o.inMonitor || o.closed {
		return false
	}
	o.monitorWg.Add(1)
	o.inMonitor = true
	return true
}

// Clear the monitor running state. The monitor goroutine should
// call this in a defer to clean up on exit.
func (o *consumer) clearMonitorRunning() {
	o.mu.Lock()
	defer o.mu.Unlock()

	if o.inMonitor {
		o.monitorWg.Done()
		o.inMonitor = false
	}
}

// Test whether we are in the monitor routine.
func (o *consumer) isMonitorRunning() bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.inMonitor
}

func (o *consumer) monitorQuitC() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	// Recreate if a prior monitor routine was stopped.
	if o.mqch == nil {
		o.mqch = make(chan struct{})
		if o.closed {
			close(o.mqch)
		}
	}
	return o.mqch
}

// signalMonitorQuit signals to exit the monitor loop. If there's no Raft node,
// this will be the only way to stop the monitor goroutine.
func (o *consumer) signalMonitorQuit() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.mqch != nil && !o.closed {
		close(o.mqch)
		o.mqch = nil
	}
}

func (o *consumer) applyEntry(_ []byte) {
	o.mu.Lock()
	o.dseq++
	o.mu.Unlock()
}

func (o *consumer) deleteWithoutAdvisory() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed = true
	o.leader = false
	if o.mqch != nil {
		close(o.mqch)
	}
}
