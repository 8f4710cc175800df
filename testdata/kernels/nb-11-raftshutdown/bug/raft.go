// Package raft is the consensus node of a group of servers.
package raft

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

const (
	peerStateFile = "peers.idx"
	termVoteFile  = "tav.idx"
	snapshotsDir  = "snapshots"
)

var errNodeClosed = errors.New("raft: node is closed")

// RaftState is the role of a node.
type RaftState int32

const (
	Leader RaftState = iota
	Follower
	Candidate
	Closed
)

// WAL is the log of a node.
type WAL interface {
	Store(entry []byte) (uint64, error)
	Stop() error
	Delete() error
}

type subscription struct {
	subj string
	stop func()
}

// server runs many nodes, one per group.
type server struct {
	mu        sync.RWMutex
	raftNodes map[string]*raft
}

func (s *server) registerRaftNode(group string, n *raft) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raftNodes == nil {
		s.raftNodes = make(map[string]*raft)
	}
	s.raftNodes[group] = n
}

func (s *server) unregisterRaftNode(group string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.raftNodes, group)
}

// shutdownRaftNodes stops all nodes when the server goes down.
func (s *server) shutdownRaftNodes() {
	s.mu.RLock()
	nodes := make([]*raft, 0, len(s.raftNodes))
	for _, n := range s.raftNodes {
		nodes = append(nodes, n)
	}
	s.mu.RUnlock()
	for _, n := range nodes {
		n.Stop()
	}
}

type raft struct {
	sync.RWMutex
	s     *server
	group string
	sd    string
	wal   WAL
	subs  []*subscription
	state atomic.Int32
	elect *time.Timer
	prop  chan []byte
	leadc chan bool
	quit  chan struct{}
}

func (s *server) startRaftNode(group, sd string, wal WAL) *raft {
	n := &raft{
		s:     s,
		group: group,
		sd:    sd,
		wal:   wal,
		elect: time.NewTimer(4 * time.Second),
		prop:  make(chan []byte, 64),
		leadc: make(chan bool, 1),
		quit:  make(chan struct{}),
	}
	n.state.Store(int32(Follower))
	s.registerRaftNode(group, n)
	go n.run()
	return n
}

// State returns the current state of the node.
func (n *raft) State() RaftState { return RaftState(n.state.Load()) }

// Leader reports whether the node leads its group.
func (n *raft) Leader() bool { return n.State() == Leader }

// LeadChangeC returns the channel of leader changes.
func (n *raft) LeadChangeC() <-chan bool { return n.leadc }

// Propose will propose a new entry to the group.
func (n *raft) Propose(entry []byte) error {
	select {
	case n.prop <- entry:
		return nil
	case <-n.quit:
		return errNodeClosed
	}
}

func (n *raft) subscribe(subj string, stop func()) {
	n.Lock()
	n.subs = append(n.subs, &subscription{subj, stop})
	n.Unlock()
}

// run is the only goroutine that moves the node between its roles.
func (n *raft) run() {
	defer n.elect.Stop()
	for {
		select {
		case <-n.elect.C:
			n.switchState(Candidate)
			n.elect.Reset(4 * time.Second)
		case entry := <-n.prop:
			if _, err := n.wal.Store(entry); err != nil {
				// The log cannot be trusted any more.
				go n.Stop()
				continue
			}
			if n.State() == Candidate {
				n.switchState(Leader)
			}
		case <-n.quit:
			return
		}
	}
}

func (n *raft) switchState(state RaftState) {
	for {
		cur := n.State()
		if cur == Closed || cur == state {
			return
		}
		if n.state.CompareAndSwap(int32(cur), int32(state)) {
			break
		}
	}
	select {
	case n.leadc <- state == Leader:
	default:
	}
}

// Stop shuts the node down and keeps what it has on disk.
func (n *raft) Stop() { n.shutdown(false) }

// Delete shuts the node down and removes what it has on disk.
func (n *raft) Delete() { n.shutdown(true) }

func (n *raft) shutdown(shouldDelete bool) {
	if n.State() == Closed {
		return
	}
	n.state.Store(int32(Closed))

	n.Lock()
	close(n.quit)
	for _, sub := range n.subs {
		sub.stop()
	}
	n.subs = nil
	s, g, wal := n.s, n.group, n.wal

	// Delete our peer state and vote state and any snapshots.
	if shouldDelete {
		os.Remove(filepath.Join(n.sd, peerStateFile))
		os.Remove(filepath.Join(n.sd, termVoteFile))
		os.RemoveAll(filepath.Join(n.sd, snapshotsDir))
	}
	n.Unlock()

	s.unregisterRaftNode(g)
	if wal == nil {
		return
	}
	var err error
	if shouldDelete {
		err = wal.Delete()
	} else {
		err = wal.Stop()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "raft [%s]: closing the log: %v\n", g, err)
	}
}
