package raft

import "sync"

type Server struct {
	ID      string
	Address string
}

type followerReplication struct {
	triggerCh chan struct{}
	stopCh    chan struct{}

	peerLock sync.RWMutex
	peer     Server
}

type Raft struct {
	configCh   chan []Server
	shutdownCh chan struct{}
	send       func(addr string)

	// repl is used by the leader loop only.
	repl map[string]*followerReplication
}

func NewRaft(send func(addr string)) *Raft {
	r := &Raft{
		configCh:   make(chan []Server),
		shutdownCh: make(chan struct{}),
		send:       send,
		repl:       make(map[string]*followerReplication),
	}
	go r.leaderLoop()
	return r
}

func (r *Raft) leaderLoop() {
	for {
		select {
		case servers := <-r.configCh:
			r.startStopReplication(servers)
		case <-r.shutdownCh:
			for _, s := range r.repl {
				close(s.stopCh)
			}
			return
		}
	}
}

func (r *Raft) startStopReplication(servers []Server) {
	inConfig := make(map[string]bool, len(servers))
	for _, server := range servers {
		inConfig[server.ID] = true
		s, ok := r.repl[server.ID]
		if !ok {
			s = &followerReplication{
				peer:      server,
				triggerCh: make(chan struct{}, 1),
				stopCh:    make(chan struct{}),
			}
			r.repl[server.ID] = s
			go r.replicate(s)
			continue
		}
		s.peerLock.RLock()
		peer := s.peer
		s.peerLock.RUnlock()
		if peer.Address != server.Address {
			s.peerLock.Lock()
			s.peer = server
			s.peerLock.Unlock()
		}
	}
	for id, s := range r.repl {
		if !inConfig[id] {
			close(s.stopCh)
			delete(r.repl, id)
		}
	}
}

func (r *Raft) replicate(s *followerReplication) {
	for {
		select {
		case <-s.triggerCh:
			s.peerLock.RLock()
			peer := s.peer
			s.peerLock.RUnlock()
			r.send(peer.Address)
		case <-s.stopCh:
			return
		}
	}
}

func (r *Raft) Shutdown() { close(r.shutdownCh) }
