package raft

import "sync"

type LeaderObservation struct {
	Leader string
}

type Observer struct {
	ch chan LeaderObservation
}

type appendEntries struct {
	term   uint64
	leader string
}

type Raft struct {
	localAddr string

	leaderLock sync.RWMutex
	leader     string

	observersLock sync.RWMutex
	observers     map[*Observer]struct{}

	rpcCh      chan appendEntries
	candidate  chan bool
	shutdownCh chan struct{}
}

func NewRaft(addr string) *Raft {
	r := &Raft{
		localAddr:  addr,
		observers:  make(map[*Observer]struct{}),
		rpcCh:      make(chan appendEntries),
		candidate:  make(chan bool),
		shutdownCh: make(chan struct{}),
	}
	go r.run()
	return r
}

// Leader is used to return the current leader of the cluster.
func (r *Raft) Leader() string {
	r.leaderLock.RLock()
	leader := r.leader
	r.leaderLock.RUnlock()
	return leader
}

// setLeader is used to modify the current leader of the cluster.
func (r *Raft) setLeader(leader string) {
	r.leaderLock.Lock()
	oldLeader := r.leader
	r.leader = leader
	r.leaderLock.Unlock()
	if oldLeader != leader {
		r.observe(LeaderObservation{Leader: leader})
	}
}

func (r *Raft) RegisterObserver(o *Observer) {
	r.observersLock.Lock()
	r.observers[o] = struct{}{}
	r.observersLock.Unlock()
}

func (r *Raft) DeregisterObserver(o *Observer) {
	r.observersLock.Lock()
	delete(r.observers, o)
	r.observersLock.Unlock()
}

func (r *Raft) observe(ob LeaderObservation) {
	r.observersLock.RLock()
	defer r.observersLock.RUnlock()
	for o := range r.observers {
		select {
		case o.ch <- ob:
		default:
		}
	}
}

// run is the main loop.
func (r *Raft) run() {
	for {
		select {
		case a := <-r.rpcCh:
			r.setLeader(a.leader)
		case won := <-r.candidate:
			if won {
				r.setLeader(r.localAddr)
			} else {
				r.setLeader("")
			}
		case <-r.shutdownCh:
			r.setLeader("")
			return
		}
	}
}

// processHeartbeat is the fast path of the transport; it is called on the
// connection's goroutine and does not go through the main loop.
func (r *Raft) processHeartbeat(a appendEntries) {
	r.setLeader(a.leader)
}

func (r *Raft) Shutdown() { close(r.shutdownCh) }
