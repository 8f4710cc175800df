package server

import (
	"sync"
	"sync/atomic"
)

type ConsumerConfig struct {
	Durable    string
	Replicas   int
	MaxWaiting int
}

type consumer struct {
	mu        sync.RWMutex
	js        *jetStream
	name      string
	cfg       ConsumerConfig
	node      RaftNode
	leader    atomic.Bool
	closed    bool
	pending   map[uint64]int64
	acks      chan uint64
	qch       chan struct{}
	mqch      chan struct{} // The monitor's quit channel.
	monitorWg sync.WaitGroup
	inMonitor bool
}

func newConsumer(js *jetStream, name string, cfg ConsumerConfig) *consumer {
	return &consumer{
		js:      js,
		name:    name,
		cfg:     cfg,
		pending: make(map[uint64]int64),
		acks:    make(chan uint64, 128),
		mqch:    make(chan struct{}),
	}
}

func (o *consumer) isClosed() bool {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.closed
}

func (o *consumer) IsLeader() bool {
	return o.leader.Load()
}

func (o *consumer) raftNode() RaftNode {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.node
}

func (o *consumer) setNode(n RaftNode) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.node = n
}

func (o *consumer) clearNode() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.node != nil {
		o.node.Delete()
		o.node = nil
	}
}

// shouldStartMonitor will return true if we should start a monitor
// goroutine or will return false if one is already running.
func (o *consumer) shouldStartMonitor() bool {
	o.mu.Lock()
	defer o.mu.Unlock()

	if o.inMonitor {
		return false
	}
	o.monitorWg.Add(1)
	o.inMonitor = true
	return true
}

// clear the monitor running state. The monitor goroutine should
// call this in a defer to clean up on exit.
func (o *consumer) clearMonitorRunning() {
	o.mu.Lock()
	defer o.mu.Unlock()

	if o.inMonitor {
		o.monitorWg.Done()
		o.inMonitor = false
	}
}

func (o *consumer) monitorQuitC() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	// Recreate if a prior monitor routine was stopped.
	if o.mqch == nil {
		o.mqch = make(chan struct{})
	}
	return o.mqch
}

// signalMonitorQuit signals to exit the monitor loop. If there's no Raft node,
// this will be the only way to stop the monitor goroutine.
func (o *consumer) signalMonitorQuit() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.mqch != nil {
		close(o.mqch)
		o.mqch = nil
	}
}

func (o *consumer) setLeader(isLeader bool) {
	o.mu.Lock()
	defer o.mu.Unlock()

	wasLeader := o.leader.Swap(isLeader)
	if isLeader {
		if o.closed || wasLeader {
			return
		}
		// Recreate quit channel.
		o.qch = make(chan struct{})
		// Now start up Go routine to process acks.
		go o.processInboundAcks(o.qch)
	} else {
		// Shutdown the go routines and the subscriptions.
		if o.qch != nil {
			close(o.qch)
			o.qch = nil
		}
		o.pending = make(map[uint64]int64)
	}
}

func (o *consumer) processInboundAcks(qch chan struct{}) {
	for {
		select {
		case <-qch:
			return
		case seq := <-o.acks:
			o.mu.Lock()
			delete(o.pending, seq)
			o.mu.Unlock()
		}
	}
}

func (o *consumer) info() ConsumerConfig {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.cfg
}

func (o *consumer) updateConfig(cfg ConsumerConfig) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cfg = cfg
}
