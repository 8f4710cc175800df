// Package ok replicates a log to followers whose addresses may change.
package ok

import (
	"sync"
	"sync/atomic"
	"time"
)

// Server is a member of the cluster.
type Server struct{ ID, Address string }

// Transport sends entries to a server.
type Transport interface {
	AppendEntries(s Server, next uint64) error
}

type follower struct {
	peerLock sync.RWMutex
	peer     Server

	next    atomic.Uint64
	stop    chan struct{}
	trigger chan struct{}
}

// Leader replicates as long as Run runs.
type Leader struct {
	trans    Transport
	configCh chan []Server
	done     chan struct{}

	followers map[string]*follower // used by Run only
}

// NewLeader returns a leader that is not running yet.
func NewLeader(trans Transport) *Leader {
	return &Leader{
		trans:     trans,
		configCh:  make(chan []Server),
		done:      make(chan struct{}),
		followers: make(map[string]*follower),
	}
}

// SetConfiguration replaces the members.
func (l *Leader) SetConfiguration(servers []Server) {
	select {
	case l.configCh <- servers:
	case <-l.done:
	}
}

// Run is the main loop. It is called once and returns when stop is closed.
func (l *Leader) Run(stop <-chan struct{}) {
	defer close(l.done)
	for {
		select {
		case servers := <-l.configCh:
			l.startStopReplication(servers)
		case <-stop:
			l.startStopReplication(nil)
			return
		}
	}
}

// startStopReplication is called by the main loop.
func (l *Leader) startStopReplication(servers []Server) {
	inConfig := make(map[string]bool, len(servers))
	for _, server := range servers {
		inConfig[server.ID] = true
		f, ok := l.followers[server.ID]
		if !ok {
			f = &follower{peer: server, stop: make(chan struct{}), trigger: make(chan struct{}, 1)}
			l.followers[server.ID] = f
			go l.replicate(f)
			continue
		}

		f.peerLock.RLock()
		peer := f.peer
		f.peerLock.RUnlock()

		if peer.Address != server.Address {
			f.peerLock.Lock()
			f.peer = server
			f.peerLock.Unlock()
			select {
			case f.trigger <- struct{}{}:
			default:
			}
		}
	}
	for id, f := range l.followers {
		if !inConfig[id] {
			close(f.stop)
			delete(l.followers, id)
		}
	}
}

// replicate is the only goroutine that advances next.
func (l *Leader) replicate(f *follower) {
	for {
		f.peerLock.RLock()
		peer := f.peer
		f.peerLock.RUnlock()
		if l.trans.AppendEntries(peer, f.next.Load()) == nil {
			f.next.Add(1)
		}
		select {
		case <-f.stop:
			return
		case <-f.trigger:
		case <-time.After(50 * time.Millisecond):
		}
	}
}
