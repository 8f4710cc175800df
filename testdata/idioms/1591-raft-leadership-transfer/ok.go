package a

import (
	"errors"
	"sync/atomic"
	"time"
)

var errTransferInProgress = errors.New("leadership transfer already in progress")

// errorFuture is answered once.
type deferError struct {
	errCh chan error
}

func (d *deferError) respond(err error) { d.errCh <- err }

// Error blocks until the future is answered.
func (d *deferError) Error() error { return <-d.errCh }

type leadershipTransferFuture struct {
	deferError
	ID string
}

type logFuture struct {
	deferError
	data []byte
}

type leaderState struct {
	leadershipTransferInProgress int32 // indicates that a leadership transfer is in progress.
	commitIndex                  uint64
}

// Raft implements a Raft node.
type Raft struct {
	leaderState          leaderState
	leadershipTransferCh chan *leadershipTransferFuture
	applyCh              chan *logFuture
	shutdownCh           chan struct{}
	electionTimeout      time.Duration
	timeoutNow           func(id string) error
}

func (r *Raft) setLeadershipTransferInProgress(v bool) {
	if v {
		atomic.StoreInt32(&r.leaderState.leadershipTransferInProgress, 1)
	} else {
		atomic.StoreInt32(&r.leaderState.leadershipTransferInProgress, 0)
	}
}

func (r *Raft) getLeadershipTransferInProgress() bool {
	return atomic.LoadInt32(&r.leaderState.leadershipTransferInProgress) == 1
}

// LeadershipTransferToServer asks the leader to hand over to the server.
func (r *Raft) LeadershipTransferToServer(id string) error {
	f := &leadershipTransferFuture{deferError: deferError{errCh: make(chan error, 1)}, ID: id}
	select {
	case r.leadershipTransferCh <- f:
		return f.Error()
	case <-r.shutdownCh:
		return errors.New("raft is already shutdown")
	}
}

// leaderLoop is the hot loop for a leader. It is invoked
// after all the various leader setup is done.
func (r *Raft) leaderLoop() {
	for {
		select {
		case future := <-r.leadershipTransferCh:
			if r.getLeadershipTransferInProgress() {
				future.respond(errTransferInProgress)
				continue
			}
			r.setLeadershipTransferInProgress(true)
			go r.leadershipTransfer(future)

		case newLog := <-r.applyCh:
			if r.getLeadershipTransferInProgress() {
				newLog.respond(errTransferInProgress)
				continue
			}
			r.leaderState.commitIndex++
			newLog.respond(nil)

		case <-r.shutdownCh:
			return
		}
	}
}

// leadershipTransfer is doing the heavy lifting for the leadership transfer.
func (r *Raft) leadershipTransfer(future *leadershipTransferFuture) {
	doneCh := make(chan error, 1)
	go func() { doneCh <- r.timeoutNow(future.ID) }()
	var err error
	select {
	case <-time.After(r.electionTimeout):
		err = errors.New("leadership transfer timeout")
	case err = <-doneCh:
	case <-r.shutdownCh:
		err = errors.New("raft is already shutdown")
	}
	r.setLeadershipTransferInProgress(false)
	future.respond(err)
}
