package raft

import (
	"log"
	"sync"
	"sync/atomic"
	"time"
)

type ServerID string
type ServerAddress string

type Server struct {
	ID      ServerID
	Address ServerAddress
}

type Configuration struct {
	Servers []Server
}

type Transport interface {
	AppendEntries(id ServerID, target ServerAddress, term uint64) error
	Heartbeat(id ServerID, target ServerAddress) error
}

// followerReplication is in charge of sending snapshots and log entries from
// this leader during this particular term to a remote follower.
type followerReplication struct {
	currentTerm uint64

	// peer contains the network address and ID of the remote follower.
	peer Server
	// peerLock protects 'peer'
	peerLock sync.RWMutex

	// stopCh is notified/closed when this leader steps down or the follower is
	// removed from the cluster.
	stopCh chan uint64

	// triggerCh is notified every time new entries are appended to the log.
	triggerCh chan struct{}

	lastContact atomic.Int64
}

type Raft struct {
	trans    Transport
	localID  ServerID
	configCh chan Configuration
	applyCh  chan []byte
	stop     chan struct{}

	currentTerm uint64
	lastIndex   atomic.Uint64

	// The fields below are only accessed by the main thread (run).
	latest      Configuration
	leaderState struct {
		replState map[ServerID]*followerReplication
	}
}

func NewRaft(trans Transport, id ServerID, term uint64) *Raft {
	r := &Raft{
		trans:       trans,
		localID:     id,
		configCh:    make(chan Configuration),
		applyCh:     make(chan []byte),
		stop:        make(chan struct{}),
		currentTerm: term,
	}
	r.leaderState.replState = make(map[ServerID]*followerReplication)
	go r.leaderLoop()
	return r
}

// leaderLoop is the hot loop for a leader. It is the main thread.
func (r *Raft) leaderLoop() {
	for {
		select {
		case c := <-r.configCh:
			r.latest = c
			r.startStopReplication()
		case <-r.applyCh:
			idx := r.lastIndex.Add(1)
			_ = idx
			for _, f := range r.leaderState.replState {
				asyncNotifyCh(f.triggerCh)
			}
		case <-r.stop:
			for _, f := range r.leaderState.replState {
				close(f.stopCh)
			}
			return
		}
	}
}

// startStopReplication will set up state and start asynchronous replication to
// new peers, and stop replication to removed peers. Before removing a peer,
// it'll instruct the replication routines to try to replicate to the current
// index. This must only be called from the main thread.
func (r *Raft) startStopReplication() {
	inConfig := make(map[ServerID]bool, len(r.latest.Servers))
	lastIdx := r.lastIndex.Load()

	// Start replication goroutines that need starting
	for _, server := range r.latest.Servers {
		if server.ID == r.localID {
			continue
		}
		inConfig[server.ID] = true

		s, ok := r.leaderState.replState[server.ID]
		if !ok {
			log.Println("added peer, starting replication", server.ID)
			s = &followerReplication{
				peer:        server,
				stopCh:      make(chan uint64, 1),
				triggerCh:   make(chan struct{}, 1),
				currentTerm: r.currentTerm,
			}
			r.leaderState.replState[server.ID] = s
			go r.replicate(s)
			asyncNotifyCh(s.triggerCh)
		} else if ok {
			s.peerLock.RLock()
			peer := s.peer
			s.peerLock.RUnlock()

			if peer.Address != server.Address {
				log.Println("updating peer", server.ID)
				s.peerLock.Lock()
				s.peer = server
				s.peerLock.Unlock()
			}
		}
	}

	// Stop replication goroutines that need stopping
	for serverID, repl := range r.leaderState.replState {
		if inConfig[serverID] {
			continue
		}
		// Replicate up to lastIdx and stop
		log.Println("removed peer, stopping replication", serverID, lastIdx)
		repl.stopCh <- lastIdx
		close(repl.stopCh)
		delete(r.leaderState.replState, serverID)
	}
}

// replicate is a long running routine that replicates log entries to a single
// follower.
func (r *Raft) replicate(s *followerReplication) {
	// Start an async heartbeating routing
	stopHeartbeat := make(chan struct{})
	defer close(stopHeartbeat)
	go r.heartbeat(s, stopHeartbeat)

	for {
		select {
		case <-s.stopCh:
			return
		case <-s.triggerCh:
		case <-time.After(50 * time.Millisecond):
		}

		s.peerLock.RLock()
		peer := s.peer
		s.peerLock.RUnlock()

		if err := r.trans.AppendEntries(peer.ID, peer.Address, s.currentTerm); err != nil {
			log.Println("failed to appendEntries to", peer, err)
			continue
		}
		s.lastContact.Store(time.Now().UnixNano())
	}
}

func (r *Raft) heartbeat(s *followerReplication, stopCh chan struct{}) {
	for {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-stopCh:
			return
		}

		s.peerLock.RLock()
		peer := s.peer
		s.peerLock.RUnlock()

		if err := r.trans.Heartbeat(peer.ID, peer.Address); err == nil {
			s.lastContact.Store(time.Now().UnixNano())
		}
	}
}

func asyncNotifyCh(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
