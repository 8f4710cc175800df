// Package fix is the leader side of a replicated log.
package fix

import (
	"sync/atomic"
	"time"
)

// RaftState is the role of a node.
type RaftState uint32

// The roles.
const (
	Follower RaftState = iota
	Candidate
	Leader
)

// AppendEntriesRequest replicates entries.
type AppendEntriesRequest struct {
	Term        uint64
	Leader      string
	CommitIndex uint64
	LastIndex   uint64
}

// AppendEntriesResponse answers it.
type AppendEntriesResponse struct {
	Term    uint64
	Success bool
}

// Transport sends requests to peers.
type Transport interface {
	AppendEntries(peer string, req *AppendEntriesRequest) (*AppendEntriesResponse, error)
}

// StableStore keeps the term over restarts.
type StableStore interface {
	SetUint64(key string, val uint64) error
}

type followerReplication struct {
	peer      string
	stopCh    chan struct{}
	triggerCh chan struct{}

	currentTerm uint64
	nextIndex   uint64
}

type rpc struct {
	req    *AppendEntriesRequest
	respCh chan *AppendEntriesResponse
}

// Raft is one node. All fields without atomics belong to the main loop.
type Raft struct {
	localAddr string
	trans     Transport
	stable    StableStore
	rpcCh     chan rpc
	peers     []string
	replState map[string]*followerReplication

	state       atomic.Uint32
	currentTerm atomic.Uint64
	commitIndex atomic.Uint64
	lastLog     atomic.Uint64
}

func (r *Raft) getState() RaftState    { return RaftState(r.state.Load()) }
func (r *Raft) setState(s RaftState)   { r.state.Store(uint32(s)) }
func (r *Raft) getCurrentTerm() uint64 { return r.currentTerm.Load() }
func (r *Raft) getCommitIndex() uint64 { return r.commitIndex.Load() }
func (r *Raft) getLastLog() uint64     { return r.lastLog.Load() }

// setCurrentTerm persists the term before it is visible.
func (r *Raft) setCurrentTerm(t uint64) error {
	if err := r.stable.SetUint64("CurrentTerm", t); err != nil {
		return err
	}
	r.currentTerm.Store(t)
	return nil
}

// runLeader runs on the main goroutine while the node leads.
func (r *Raft) runLeader() {
	r.replState = make(map[string]*followerReplication)
	defer func() {
		for _, s := range r.replState {
			close(s.stopCh)
		}
		r.replState = nil
	}()
	for _, peer := range r.peers {
		r.startReplication(peer)
	}
	for r.getState() == Leader {
		select {
		case m := <-r.rpcCh:
			m.respCh <- r.appendEntries(m.req)
		case <-time.After(time.Second):
		}
	}
}

// startReplication is a helper to setup state and start async replication to a peer
func (r *Raft) startReplication(peer string) {
	s := &followerReplication{
		peer:        peer,
		stopCh:      make(chan struct{}),
		triggerCh:   make(chan struct{}, 1),
		currentTerm: r.getCurrentTerm(),
		nextIndex:   r.getLastLog() + 1,
	}
	r.replState[peer] = s
	go r.replicate(s)
}

// appendEntries handles the request of a leader on the main goroutine.
func (r *Raft) appendEntries(a *AppendEntriesRequest) *AppendEntriesResponse {
	resp := &AppendEntriesResponse{Term: r.getCurrentTerm()}

	// Ignore an older term
	if a.Term < r.getCurrentTerm() {
		return resp
	}

	// Increase the term if we see a newer one, also transition to follower
	// if we ever get an appendEntries call
	if a.Term > r.getCurrentTerm() || r.getState() != Follower {
		// Ensure transition to follower
		r.setState(Follower)
		if err := r.setCurrentTerm(a.Term); err != nil {
			return resp
		}
		resp.Term = a.Term
	}
	r.commitIndex.Store(a.CommitIndex)
	resp.Success = true
	return resp
}

// replicate is the goroutine of one follower.
func (r *Raft) replicate(s *followerReplication) {
	go r.heartbeat(s)

	shouldStop := false
	for !shouldStop {
		select {
		case <-s.triggerCh:
			shouldStop = r.replicateTo(s, r.getLastLog())
		case <-s.stopCh:
			return
		}
	}
}

// replicateTo sends entries up to a given last index.
func (r *Raft) replicateTo(s *followerReplication, lastIndex uint64) (shouldStop bool) {
	req := &AppendEntriesRequest{
		Term:        s.currentTerm,
		Leader:      r.localAddr,
		CommitIndex: r.getCommitIndex(),
		LastIndex:   lastIndex,
	}
	resp, err := r.trans.AppendEntries(s.peer, req)
	if err != nil {
		return false
	}

	// Check for a newer term, stop running
	if resp.Term > req.Term {
		return true
	}
	if resp.Success {
		s.nextIndex = lastIndex + 1
	}
	return false
}

// heartbeat is used to periodically invoke AppendEntries on a peer
// to ensure they don't time out.
func (r *Raft) heartbeat(s *followerReplication) {
	for {
		select {
		case <-time.After(10 * time.Millisecond):
			req := &AppendEntriesRequest{
				Term:   s.currentTerm,
				Leader: r.localAddr,
			}
			_, _ = r.trans.AppendEntries(s.peer, req)
		case <-s.stopCh:
			return
		}
	}
}
