package lr01

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errTransferInProgress = errors.New("leadership transfer in progress")
	errTransferTimeout    = errors.New("leadership transfer timeout")
	errLostLeadership     = errors.New("lost leadership during transfer")
)

type future struct {
	target string
	errCh  chan error
}

func (f *future) respond(err error) { f.errCh <- err }

type follower struct {
	nextIndex atomic.Uint64
	trigger   chan chan error
}

type leaderState struct {
	transferInProgress int32
	repl               map[string]*follower
}

// Raft runs the leader's main loop.
type Raft struct {
	leaderState leaderState
	lastIndex   atomic.Uint64
	timeout     time.Duration

	applyCh    chan *future
	transferCh chan *future
	stopCh     chan struct{}

	logMu sync.Mutex
	log   []string
}

func (r *Raft) setTransferInProgress(v bool) {
	if v {
		atomic.StoreInt32(&r.leaderState.transferInProgress, 1)
	} else {
		atomic.StoreInt32(&r.leaderState.transferInProgress, 0)
	}
}

func (r *Raft) getTransferInProgress() bool {
	return atomic.LoadInt32(&r.leaderState.transferInProgress) > 0
}

func (r *Raft) leaderLoop() {
	left := make(chan struct{})
	defer close(left)

	for {
		select {
		case f := <-r.transferCh:
			if r.getTransferInProgress() {
				f.respond(errTransferInProgress)
				continue
			}
			stopCh := make(chan struct{})
			doneCh := make(chan error, 1)
			go func() {
				select {
				case <-time.After(r.timeout):
					close(stopCh)
					f.respond(errTransferTimeout)
					<-doneCh
				case <-left:
					close(stopCh)
					f.respond(errLostLeadership)
					<-doneCh
				case err := <-doneCh:
					f.respond(err)
				}
			}()
			peer, ok := r.leaderState.repl[f.target]
			if !ok {
				doneCh <- errors.New("cannot find replication state")
				continue
			}
			r.setTransferInProgress(true)
			go r.leadershipTransfer(peer, stopCh, doneCh)

		case f := <-r.applyCh:
			if r.getTransferInProgress() {
				f.respond(errTransferInProgress)
				continue
			}
			r.dispatch(f)

		case <-r.stopCh:
			return
		}
	}
}

func (r *Raft) dispatch(f *future) {
	r.logMu.Lock()
	r.log = append(r.log, f.target)
	r.logMu.Unlock()
	r.lastIndex.Add(1)
	f.respond(nil)
}

func (r *Raft) leadershipTransfer(peer *follower, stopCh chan struct{}, doneCh chan error) {
	defer func() { r.setTransferInProgress(false) }()

	select {
	case <-stopCh:
		doneCh <- nil
		return
	default:
	}

	for peer.nextIndex.Load() <= r.lastIndex.Load() {
		errCh := make(chan error, 1)
		peer.trigger <- errCh
		select {
		case err := <-errCh:
			if err != nil {
				doneCh <- err
				return
			}
		case <-stopCh:
			doneCh <- nil
			return
		}
	}
	doneCh <- nil
}
