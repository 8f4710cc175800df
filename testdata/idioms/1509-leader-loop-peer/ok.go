package ok

import "sync"

type ServerID string

type Server struct {
	ID      ServerID
	Address string
}

type followerReplication struct {
	// peer contains the network address and ID of the remote follower.
	peer Server
	// peerLock protects 'peer'
	peerLock sync.RWMutex

	stopCh    chan struct{}
	triggerCh chan struct{}
}

type transport interface {
	AppendEntries(id ServerID, addr string) error
}

// Raft: replState belongs to the goroutine that runs leaderLoop.
type Raft struct {
	trans     transport
	localID   ServerID
	replState map[ServerID]*followerReplication

	configCh   chan []Server
	shutdownCh chan struct{}
	wg         sync.WaitGroup
}

func NewRaft(trans transport, local ServerID) *Raft {
	r := &Raft{
		trans:      trans,
		localID:    local,
		replState:  make(map[ServerID]*followerReplication),
		configCh:   make(chan []Server),
		shutdownCh: make(chan struct{}),
	}
	r.wg.Add(1)
	go r.leaderLoop()
	return r
}

func (r *Raft) leaderLoop() {
	defer r.wg.Done()
	for {
		select {
		case servers := <-r.configCh:
			r.startStopReplication(servers)
		case <-r.shutdownCh:
			r.startStopReplication(nil)
			return
		}
	}
}

// startStopReplication will set up state and start asynchronous replication to
// new peers, and stop replication to removed peers. It is only called in the
// leader loop, which is the only writer of a follower's peer.
func (r *Raft) startStopReplication(servers []Server) {
	inConfig := make(map[ServerID]bool, len(servers))

	for _, server := range servers {
		if server.ID == r.localID {
			continue
		}
		inConfig[server.ID] = true

		s, ok := r.replState[server.ID]
		if !ok {
			s = &followerReplication{
				peer:      server,
				stopCh:    make(chan struct{}),
				triggerCh: make(chan struct{}, 1),
			}
			r.replState[server.ID] = s
			r.wg.Add(1)
			go r.replicate(s)
		} else {
			s.peerLock.RLock()
			peer := s.peer
			s.peerLock.RUnlock()

			if peer.Address != server.Address {
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
		close(repl.stopCh)
		delete(r.replState, serverID)
	}
}

// replicate is a long running goroutine for a single follower.
func (r *Raft) replicate(s *followerReplication) {
	defer r.wg.Done()
	for {
		select {
		case <-s.stopCh:
			return
		case <-s.triggerCh:
			s.peerLock.RLock()
			peer := s.peer
			s.peerLock.RUnlock()
			_ = r.trans.AppendEntries(peer.ID, peer.Address)
		}
	}
}
