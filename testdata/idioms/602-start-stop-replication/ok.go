// Package raft replicates the log of the leader to its peers.
package raft

import (
	"log"
	"math/rand/v2"
	"sync"
	"time"
)

// Server tracks the information about a single server in a configuration.
type Server struct {
	ID      string
	Address string
}

// Transport sends heartbeats.
type Transport interface {
	Heartbeat(id, address string) error
}

// followerReplication is in charge of sending snapshots and log entries from
// this leader during this particular term to a remote follower.
type followerReplication struct {
	// peerLock protects 'peer'
	peerLock sync.RWMutex
	peer     Server

	stopCh    chan uint64
	triggerCh chan struct{}

	// lastContact is updated to the current time whenever any response is
	// received from the follower.
	lastContactLock sync.RWMutex
	lastContact     time.Time
}

// LastContact returns the time of last contact.
func (s *followerReplication) LastContact() time.Time {
	s.lastContactLock.RLock()
	defer s.lastContactLock.RUnlock()
	return s.lastContact
}

func (s *followerReplication) setLastContact() {
	s.lastContactLock.Lock()
	s.lastContact = time.Now()
	s.lastContactLock.Unlock()
}

// Raft is the leader.
type Raft struct {
	localID   string
	trans     Transport
	timeout   time.Duration
	configCh  chan []Server
	replState map[string]*followerReplication // only for the main goroutine
	wg        sync.WaitGroup
}

// NewLeader starts to replicate.
func NewLeader(localID string, trans Transport, timeout time.Duration) *Raft {
	r := &Raft{
		localID:   localID,
		trans:     trans,
		timeout:   timeout,
		configCh:  make(chan []Server),
		replState: make(map[string]*followerReplication),
	}
	r.goFunc(r.leaderLoop)
	return r
}

func (r *Raft) goFunc(f func()) {
	r.wg.Add(1)
	go func() {
		defer r.wg.Done()
		f()
	}()
}

// SetConfiguration changes the servers.
func (r *Raft) SetConfiguration(servers []Server) { r.configCh <- servers }

// Close stops the leader. It is called once, after the last configuration.
func (r *Raft) Close() {
	close(r.configCh)
	r.wg.Wait()
}

// leaderLoop is the main goroutine.
func (r *Raft) leaderLoop() {
	lease := time.NewTicker(r.timeout)
	defer lease.Stop()
	for {
		select {
		case servers, ok := <-r.configCh:
			if !ok {
				r.startStopReplication(nil, 0)
				return
			}
			r.startStopReplication(servers, uint64(len(servers)))
		case <-lease.C:
			for id, s := range r.replState {
				if diff := time.Since(s.LastContact()); diff > r.timeout {
					log.Printf("failed to contact server %v for %v", id, diff)
				}
			}
		}
	}
}

// startStopReplication will set up state and start asynchronous replication to
// new peers, and stop replication to removed peers. Before removing a peer,
// it'll instruct the replication routines to try to replicate to the current
// index. This must only be called from the main thread.
func (r *Raft) startStopReplication(servers []Server, lastIdx uint64) {
	inConfig := make(map[string]bool, len(servers))

	// Start replication goroutines that need starting
	for _, server := range servers {
		if server.ID == r.localID {
			continue
		}

		inConfig[server.ID] = true

		s, ok := r.replState[server.ID]
		if !ok {
			log.Printf("added peer %v, starting replication", server.ID)
			s = &followerReplication{
				peer:        server,
				stopCh:      make(chan uint64, 1),
				triggerCh:   make(chan struct{}, 1),
				lastContact: time.Now(),
			}
			r.replState[server.ID] = s
			r.goFunc(func() { r.heartbeat(s) })
			asyncNotifyCh(s.triggerCh)
		} else {
			s.peerLock.RLock()
			peer := s.peer
			s.peerLock.RUnlock()

			if peer.Address != server.Address {
				log.Printf("updating peer %v", server.ID)
				s.peerLock.Lock()
				s.peer = server
				s.peerLock.Unlock()
			}
		}
	}

	// Stop replication goroutines that need stopping
	for serverID, repl := range r.replState {
		if inConfig[serverID] {
			continue
		}
		// Replicate up to lastIdx and stop
		log.Printf("removed peer %v, stopping replication", serverID)
		repl.stopCh <- lastIdx
		close(repl.stopCh)
		delete(r.replState, serverID)
	}
}

// heartbeat is used to periodically invoke AppendEntries on a peer
// to ensure they don't time out.
func (r *Raft) heartbeat(s *followerReplication) {
	for {
		// Wait for the next heartbeat interval or forced notify
		select {
		case <-s.triggerCh:
		case <-time.After(r.timeout/10 + rand.N(r.timeout/10)):
		case <-s.stopCh:
			return
		}

		s.peerLock.RLock()
		peer := s.peer
		s.peerLock.RUnlock()

		if err := r.trans.Heartbeat(peer.ID, peer.Address); err != nil {
			log.Printf("failed to heartbeat to %v: %v", peer.Address, err)
			continue
		}
		s.setLastContact()
	}
}

func asyncNotifyCh(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
