// Package bug is the leader loop of a consensus node.
package bug

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrTransferRunning = errors.New("leadership transfer in progress")
	ErrNoPeer          = errors.New("cannot find peer")
	ErrLost            = errors.New("lost leadership")
)

type follower struct {
	id        string
	nextIndex atomic.Uint64
	trigger   chan struct{}
}

type transferRequest struct {
	to  string
	res chan error
}

type applyRequest struct {
	data []byte
	res  chan error
}

// Leader is a node while it leads.
type Leader struct {
	transferring atomic.Int32
	lastIndex    atomic.Uint64

	transferCh chan transferRequest
	applyCh    chan applyRequest
	stepDown   chan struct{}
	timeoutNow func(peer string) error

	followers map[string]*follower // used by loop only

	logMu sync.Mutex
	log   [][]byte
}

// Lead runs the loop of a new leader.
func Lead(peers []string, timeoutNow func(peer string) error) *Leader {
	l := &Leader{
		transferCh: make(chan transferRequest),
		applyCh:    make(chan applyRequest, 16),
		stepDown:   make(chan struct{}),
		timeoutNow: timeoutNow,
		followers:  make(map[string]*follower),
	}
	for _, p := range peers {
		l.followers[p] = &follower{id: p, trigger: make(chan struct{}, 1)}
	}
	go l.loop()
	return l
}

func (l *Leader) setTransferring(v bool) {
	if v {
		l.transferring.Store(1)
	} else {
		l.transferring.Store(0)
	}
}

func (l *Leader) isTransferring() bool { return l.transferring.Load() == 1 }

// TransferTo hands leadership to peer.
func (l *Leader) TransferTo(peer string) error {
	req := transferRequest{to: peer, res: make(chan error, 1)}
	select {
	case l.transferCh <- req:
		return <-req.res
	case <-l.stepDown:
		return ErrLost
	}
}

// Apply appends an entry. It is refused while leadership moves.
func (l *Leader) Apply(data []byte) error {
	req := applyRequest{data: data, res: make(chan error, 1)}
	select {
	case l.applyCh <- req:
		return <-req.res
	case <-l.stepDown:
		return ErrLost
	}
}

func (l *Leader) loop() {
	stop := make(chan struct{})
	defer close(stop)
	for {
		select {
		case <-l.stepDown:
			return
		case req := <-l.transferCh:
			if l.isTransferring() {
				req.res <- ErrTransferRunning
				continue
			}
			f, ok := l.followers[req.to]
			if !ok {
				req.res <- ErrNoPeer
				continue
			}
			go l.transfer(f, stop, req.res)
		case req := <-l.applyCh:
			if l.isTransferring() {
				req.res <- ErrTransferRunning
				continue
			}
			l.append(req.data)
			req.res <- nil
		}
	}
}

func (l *Leader) append(data []byte) {
	l.logMu.Lock()
	l.log = append(l.log, data)
	l.lastIndex.Store(uint64(len(l.log)))
	l.logMu.Unlock()
}

// transfer brings f up to date and tells it to start an election.
func (l *Leader) transfer(f *follower, stop <-chan struct{}, res chan<- error) {
	l.setTransferring(true)
	defer l.setTransferring(false)

	for f.nextIndex.Load() <= l.lastIndex.Load() {
		select {
		case f.trigger <- struct{}{}:
		default:
		}
		select {
		case <-stop:
			res <- ErrLost
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	res <- l.timeoutNow(f.id)
}

// StepDown ends the loop. It must be called once.
func (l *Leader) StepDown() { close(l.stepDown) }
