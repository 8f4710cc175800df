package server

import (
	"sync"
	"sync/atomic"
)

type raftNode struct {
	group string
	once  sync.Once
	quit  chan struct{}
	apply chan []byte
}

func newRaftNode(group string) *raftNode {
	return &raftNode{group: group, quit: make(chan struct{}), apply: make(chan []byte, 64)}
}

func (n *raftNode) Group() string          { return n.group }
func (n *raftNode) QuitC() <-chan struct{} { return n.quit }
func (n *raftNode) ApplyQ() <-chan []byte  { return n.apply }
func (n *raftNode) Stop()                  { n.once.Do(func() { close(n.quit) }) }
func (n *raftNode) Delete()                { n.Stop() }

type streamConfig struct {
	Name     string
	Subjects []string
	Replicas int
}

// Stream is a jetstream stream of messages.
type stream struct {
	mu       sync.RWMutex
	cfg      streamConfig
	sa       *streamAssignment
	node     *raftNode
	lseq     uint64
	syncSubs bool
	mqch     chan struct{}
	closed   atomic.Bool

	monitorWg sync.WaitGroup
	inMonitor bool
}

func (mset *stream) config() streamConfig {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.cfg
}

func (mset *stream) update(cfg streamConfig) {
	mset.mu.Lock()
	mset.cfg = cfg
	mset.mu.Unlock()
}

func (mset *stream) setStreamAssignment(sa *streamAssignment, node *raftNode) {
	mset.mu.Lock()
	mset.sa = sa
	mset.node = node
	mset.mu.Unlock()
}

func (mset *stream) removeNode() {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if n := mset.node; n != nil {
		n.Delete()
		mset.node = nil
	}
}

// Lock should be held.
func (mset *stream) startClusterSubs() { mset.syncSubs = true }

// Lock should be held.
func (mset *stream) stopClusterSubs() { mset.syncSubs = false }

// Returns whether or not we are already in the monitor routine, and marks us as in it.
func (mset *stream) checkInMonitor() bool {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if mset.inMonitor {
		return true
	}
	mset.inMonitor = true
	return false
}

// Clear us being in the monitor routine.
func (mset *stream) clearMonitorRunning() {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	mset.inMonitor = false
}

func (mset *stream) monitorQuitC() <-chan struct{} {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	// Recreate if a prior monitor routine was stopped.
	if mset.mqch == nil {
		mset.mqch = make(chan struct{})
	}
	return mset.mqch
}

// signalMonitorQuit signals to exit the monitor loop. If there's no Raft node,
// this will be the only way to stop the monitor goroutine.
func (mset *stream) signalMonitorQuit() {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if mset.mqch != nil {
		close(mset.mqch)
		mset.mqch = nil
	}
}

func (mset *stream) applyEntry(_ []byte) {
	mset.mu.Lock()
	mset.lseq++
	mset.mu.Unlock()
}

func (mset *stream) lastSeq() uint64 {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.lseq
}
