// Package raft tells observers who leads.
package raft

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

type (
	ServerID      string
	ServerAddress string
)

// LeaderObservation is used for the data when leadership changes.
type LeaderObservation struct {
	LeaderAddr ServerAddress
	LeaderID   ServerID
}

// Observation is sent along the given channel to observers when an event occurs.
type Observation struct {
	Raft *Raft
	Data any
}

// Observer describes what to do with a given observation.
type Observer struct {
	channel  chan Observation
	blocking bool
	filter   func(*Observation) bool
	id       uint64

	numObserved uint64
	numDropped  uint64
}

var nextObserverID uint64

// NewObserver creates a new observer that can be registered
// to make observations on a Raft instance.
func NewObserver(channel chan Observation, blocking bool, filter func(*Observation) bool) *Observer {
	return &Observer{channel: channel, blocking: blocking, filter: filter, id: atomic.AddUint64(&nextObserverID, 1)}
}

type appendEntries struct {
	term   uint64
	leader ServerAddress
	id     ServerID
	resp   chan<- bool
}

// Raft is one node. Its role is moved by the goroutine of run only.
type Raft struct {
	currentTerm uint64
	lastContact atomic.Int64

	leaderLock sync.RWMutex
	leaderAddr ServerAddress
	leaderID   ServerID

	observersLock sync.RWMutex
	observers     map[uint64]*Observer

	heartbeat  time.Duration
	rpcCh      chan appendEntries
	shutdownCh chan struct{}
	once       sync.Once
}

func NewRaft(heartbeat time.Duration) *Raft {
	r := &Raft{
		observers:  make(map[uint64]*Observer),
		heartbeat:  heartbeat,
		rpcCh:      make(chan appendEntries),
		shutdownCh: make(chan struct{}),
	}
	r.lastContact.Store(time.Now().UnixNano())
	go r.run()
	return r
}

// LeaderWithID is used to return the current leader address and ID of the cluster.
// It may return empty strings if there is no current leader.
func (r *Raft) LeaderWithID() (ServerAddress, ServerID) {
	r.leaderLock.RLock()
	defer r.leaderLock.RUnlock()
	return r.leaderAddr, r.leaderID
}

// setLeader is used to modify the current leader Address and ID of the cluster
func (r *Raft) setLeader(leaderAddr ServerAddress, leaderID ServerID) {
	r.leaderLock.Lock()
	oldLeaderAddr := r.leaderAddr
	r.leaderAddr = leaderAddr
	oldLeaderID := r.leaderID
	r.leaderID = leaderID
	r.leaderLock.Unlock()
	if oldLeaderAddr != leaderAddr || oldLeaderID != leaderID {
		r.observe(LeaderObservation{LeaderAddr: leaderAddr, LeaderID: leaderID})
	}
}

// LastContact returns the time of last contact by a leader.
func (r *Raft) LastContact() time.Time { return time.Unix(0, r.lastContact.Load()) }

func (r *Raft) run() {
	t := time.NewTicker(r.heartbeat)
	defer t.Stop()
	for {
		select {
		case rpc := <-r.rpcCh:
			if rpc.term < r.currentTerm {
				rpc.resp <- false
				continue
			}
			r.currentTerm = rpc.term
			r.lastContact.Store(time.Now().UnixNano())
			r.setLeader(rpc.leader, rpc.id)
			rpc.resp <- true
		case <-t.C:
			lastAddr, lastID := r.LeaderWithID()
			if time.Since(r.LastContact()) < r.heartbeat || lastAddr == "" {
				continue
			}
			// Heartbeat failed! Transition to the candidate state
			r.setLeader("", "")
			log.Printf("[WARN] raft: heartbeat timeout reached, last leader %s (%s)", lastAddr, lastID)
		case <-r.shutdownCh:
			// Clear the leader to prevent forwarding
			r.setLeader("", "")
			return
		}
	}
}

// AppendEntries is called by the transport.
func (r *Raft) AppendEntries(term uint64, leader ServerAddress, id ServerID) bool {
	resp := make(chan bool, 1)
	select {
	case r.rpcCh <- appendEntries{term, leader, id, resp}:
		return <-resp
	case <-r.shutdownCh:
		return false
	}
}

// RegisterObserver registers a new observer.
func (r *Raft) RegisterObserver(or *Observer) {
	r.observersLock.Lock()
	defer r.observersLock.Unlock()
	r.observers[or.id] = or
}

// DeregisterObserver deregisters an observer.
func (r *Raft) DeregisterObserver(or *Observer) {
	r.observersLock.Lock()
	defer r.observersLock.Unlock()
	delete(r.observers, or.id)
}

// observe sends an observation to every observer.
func (r *Raft) observe(o any) {
	r.observersLock.RLock()
	defer r.observersLock.RUnlock()
	for _, or := range r.observers {
		ob := Observation{Raft: r, Data: o}
		if or.filter != nil && !or.filter(&ob) {
			continue
		}
		if or.blocking {
			or.channel <- ob
			atomic.AddUint64(&or.numObserved, 1)
			continue
		}
		select {
		case or.channel <- ob:
			atomic.AddUint64(&or.numObserved, 1)
		default:
			atomic.AddUint64(&or.numDropped, 1)
		}
	}
}

// Shutdown stops the node.
func (r *Raft) Shutdown() { r.once.Do(func() { close(r.shutdownCh) }) }
