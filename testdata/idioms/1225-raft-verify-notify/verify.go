package raft

import (
	"errors"
	"log"
	"sync"
	"time"
)

// ErrNotLeader is returned when an operation can't be completed on a
// follower or candidate node.
var ErrNotLeader = errors.New("node is not the leader")

// ErrRaftShutdown is returned when operations are requested against an
// inactive Raft.
var ErrRaftShutdown = errors.New("raft is already shutdown")

// deferError can be embedded to allow a future
// to provide an error in the future.
type deferError struct {
	err       error
	errCh     chan error
	responded bool
}

func (d *deferError) init() { d.errCh = make(chan error, 1) }

// respond is called from the main thread only.
func (d *deferError) respond(err error) {
	if d.responded {
		return
	}
	d.errCh <- err
	d.responded = true
}

func (d *deferError) Error() error {
	d.err = <-d.errCh
	return d.err
}

// verifyFuture is used to verify the current node is still
// the leader. This is to prevent a stale read.
type verifyFuture struct {
	deferError
	notifyCh   chan *verifyFuture
	quorumSize int
	votes      int
	voteLock   sync.Mutex
}

// vote is used to respond to a verifyFuture.
// This may block when responding on the notifyCh.
func (v *verifyFuture) vote(leader bool) {
	v.voteLock.Lock()
	defer v.voteLock.Unlock()

	// Guard against having notified already
	if v.notifyCh == nil {
		return
	}

	if leader {
		v.votes++
		if v.votes >= v.quorumSize {
			v.notifyCh <- v
			v.notifyCh = nil
		}
	} else {
		v.notifyCh <- v
		v.notifyCh = nil
	}
}

// followerReplication is in charge of sending snapshots and log entries from
// this leader during this particular term to a remote follower.
type followerReplication struct {
	peer string

	// notifyCh is notified to send out a heartbeat, which is used to check that
	// this server is still leader.
	notifyCh chan struct{}
	// notify is a map of futures to be resolved upon receipt of an
	// acknowledgement, then cleared from this map.
	notify map[*verifyFuture]struct{}
	// notifyLock protects 'notify'.
	notifyLock sync.Mutex
}

// notifyAll is used to notify all the waiting verify futures
// if the follower believes we are still the leader.
func (s *followerReplication) notifyAll(leader bool) {
	// Clear the waiting notifies minimizing lock time
	s.notifyLock.Lock()
	n := s.notify
	s.notify = make(map[*verifyFuture]struct{})
	s.notifyLock.Unlock()

	// Submit our votes
	for v := range n {
		v.vote(leader)
	}
}

// cleanNotify is used to delete notify, .
func (s *followerReplication) cleanNotify(v *verifyFuture) {
	s.notifyLock.Lock()
	delete(s.notify, v)
	s.notifyLock.Unlock()
}

// Raft is the leader side of the verification.
type Raft struct {
	verifyCh   chan *verifyFuture
	shutdownCh chan struct{}
	logger     *log.Logger

	heartbeatTimeout time.Duration
	appendEntries    func(peer string) (success bool, err error)

	// leaderState used only while state is leader
	leaderState struct {
		replState map[string]*followerReplication
		notify    map[*verifyFuture]struct{}
	}
}

// VerifyLeader is used to ensure this peer is still the leader. It may be used
// to prevent returning stale data from the FSM after the peer has lost
// leadership.
func (r *Raft) VerifyLeader() error {
	verifyFuture := &verifyFuture{}
	verifyFuture.init()
	select {
	case <-r.shutdownCh:
		return ErrRaftShutdown
	case r.verifyCh <- verifyFuture:
		return verifyFuture.Error()
	}
}

// run is the main thread: it is a leader until it has lost the leadership and
// a follower after that.
func (r *Raft) run(peers []string) {
	r.runLeader(peers)
	r.runFollower()
}

// runFollower runs the main loop while in the follower state.
func (r *Raft) runFollower() {
	for {
		select {
		case v := <-r.verifyCh:
			// Reject any operations since we are not the leader
			v.respond(ErrNotLeader)

		case <-r.shutdownCh:
			return
		}
	}
}

// runLeader runs the FSM for the leader state.
func (r *Raft) runLeader(peers []string) {
	r.leaderState.notify = make(map[*verifyFuture]struct{})
	r.leaderState.replState = make(map[string]*followerReplication)
	stopCh := make(chan struct{})
	for _, p := range peers {
		s := &followerReplication{
			peer:     p,
			notifyCh: make(chan struct{}, 1),
			notify:   make(map[*verifyFuture]struct{}),
		}
		r.leaderState.replState[p] = s
		go r.heartbeat(s, stopCh)
	}
	defer func() {
		close(stopCh)
		// Respond to any pending verify requests
		for future := range r.leaderState.notify {
			future.respond(ErrNotLeader)
		}
	}()
	r.leaderLoop()
}

// leaderLoop is the hot loop for a leader. It is invoked
// after all the various leader setup is done.
func (r *Raft) leaderLoop() {
	for {
		select {
		case v := <-r.verifyCh:
			if v.quorumSize == 0 {
				// Just dispatched, start the verification
				r.verifyLeader(v)
			} else if v.votes < v.quorumSize {
				// Early return, means there must be a new leader
				r.logger.Println("new leader elected, stepping down")
				delete(r.leaderState.notify, v)
				for _, repl := range r.leaderState.replState {
					repl.cleanNotify(v)
				}
				v.respond(ErrNotLeader)
				return
			} else {
				// Quorum of members agree, we are still leader
				delete(r.leaderState.notify, v)
				for _, repl := range r.leaderState.replState {
					repl.cleanNotify(v)
				}
				v.respond(nil)
			}

		case <-r.shutdownCh:
			return
		}
	}
}

// verifyLeader must be called from the main thread for safety.
// Causes the followers to attempt an immediate heartbeat.
func (r *Raft) verifyLeader(v *verifyFuture) {
	// Current leader always votes for self
	v.votes = 1

	// Set the quorum size, hot-path for single node
	v.quorumSize = (len(r.leaderState.replState)+1)/2 + 1
	if v.quorumSize == 1 {
		v.respond(nil)
		return
	}

	// Track this request
	v.notifyCh = r.verifyCh
	r.leaderState.notify[v] = struct{}{}

	// Trigger immediate heartbeats
	for _, repl := range r.leaderState.replState {
		repl.notifyLock.Lock()
		repl.notify[v] = struct{}{}
		repl.notifyLock.Unlock()
		asyncNotifyCh(repl.notifyCh)
	}
}

// heartbeat is used to periodically invoke AppendEntries on a peer
// to ensure they don't time out.
func (r *Raft) heartbeat(s *followerReplication, stopCh chan struct{}) {
	for {
		// Wait for the next heartbeat interval or forced notify
		select {
		case <-s.notifyCh:
		case <-time.After(r.heartbeatTimeout / 10):
		case <-stopCh:
			return
		}
		success, err := r.appendEntries(s.peer)
		if err != nil {
			r.logger.Println("failed to heartbeat to", s.peer, err)
			continue
		}
		s.notifyAll(success)
	}
}

// asyncNotifyCh is used to do an async channel send
// to a single channel without blocking.
func asyncNotifyCh(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
