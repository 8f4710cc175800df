// Package fix is the leader part of a replicated group.
package fix

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

var (
	errInProgress = errors.New("leadership transfer in progress")
	errNotLeader  = errors.New("node is not the leader")
)

type handoverReq struct {
	target string
	errc   chan error
}

func (f *handoverReq) respond(err error) { f.errc <- err }

type appendReq struct {
	data []byte
	errc chan error
}

// Transport sends requests to peers.
type Transport interface {
	ElectNow(id string) error
	AppendTo(id string, upto uint64) error
}

type follower struct {
	id        string
	nextIndex atomic.Uint64
}

// Leader runs while this node leads.
type Leader struct {
	trans     Transport
	timeout   time.Duration
	followers map[string]*follower

	handover  atomic.Int32
	lastIndex atomic.Uint64

	logMu sync.RWMutex
	log   [][]byte

	transferc chan *handoverReq
	applyc    chan *appendReq
	stepDown  chan struct{}
	done      chan struct{}
}

// NewLeader starts the leader loop.
func NewLeader(trans Transport, peers []string, timeout time.Duration) *Leader {
	l := &Leader{
		trans:     trans,
		timeout:   timeout,
		followers: make(map[string]*follower),
		transferc: make(chan *handoverReq),
		applyc:    make(chan *appendReq),
		stepDown:  make(chan struct{}),
		done:      make(chan struct{}),
	}
	for _, p := range peers {
		l.followers[p] = &follower{id: p}
	}
	go l.lead()
	return l
}

func (l *Leader) setHandover(v bool) {
	if v {
		l.handover.Store(1)
	} else {
		l.handover.Store(0)
	}
}

func (l *Leader) inHandover() bool { return l.handover.Load() == 1 }

// Transfer hands the leadership over; it may be called by any goroutine.
func (l *Leader) Transfer(target string) error {
	f := &handoverReq{target: target, errc: make(chan error, 1)}
	select {
	case l.transferc <- f:
		return <-f.errc
	case <-l.done:
		return errNotLeader
	}
}

// Apply appends an entry.
func (l *Leader) Apply(data []byte) error {
	f := &appendReq{data: data, errc: make(chan error, 1)}
	select {
	case l.applyc <- f:
		return <-f.errc
	case <-l.done:
		return errNotLeader
	}
}

// StepDown ends the leadership; it is called once.
func (l *Leader) StepDown() {
	close(l.stepDown)
	<-l.done
}

func (l *Leader) lead() {
	defer close(l.done)
	left := make(chan struct{})
	defer close(left)

	for {
		select {
		case <-l.stepDown:
			return

		case f := <-l.transferc:
			if l.inHandover() {
				f.respond(errInProgress)
				continue
			}
			fol, ok := l.followers[f.target]
			if !ok {
				f.respond(fmt.Errorf("unknown peer %q", f.target))
				continue
			}
			stopc := make(chan struct{})
			donec := make(chan error, 1)
			go func() {
				defer l.setHandover(false)
				select {
				case <-time.After(l.timeout):
					close(stopc)
					<-donec
					f.respond(errors.New("leadership transfer timeout"))
				case <-left:
					close(stopc)
					<-donec
					f.respond(nil)
				case err := <-donec:
					f.respond(err)
				}
			}()
			l.setHandover(true)
			go l.transfer(fol, stopc, donec)

		case f := <-l.applyc:
			if l.inHandover() {
				f.errc <- errInProgress
				continue
			}
			l.logMu.Lock()
			l.log = append(l.log, f.data)
			l.lastIndex.Store(uint64(len(l.log)))
			l.logMu.Unlock()
			f.errc <- nil
		}
	}
}

func (l *Leader) transfer(fol *follower, stopc chan struct{}, donec chan error) {
	select {
	case <-stopc:
		donec <- nil
		return
	default:
	}

	for fol.nextIndex.Load() <= l.lastIndex.Load() {
		select {
		case <-stopc:
			donec <- nil
			return
		default:
		}
		last := l.lastIndex.Load()
		if err := l.trans.AppendTo(fol.id, last); err != nil {
			donec <- err
			return
		}
		fol.nextIndex.Store(last + 1)
	}

	err := l.trans.ElectNow(fol.id)
	if err != nil {
		err = fmt.Errorf("failed to make ElectNow RPC to %v: %v", fol.id, err)
	}
	donec <- err
}

// Len returns the length of the log.
func (l *Leader) Len() int {
	l.logMu.RLock()
	defer l.logMu.RUnlock()
	return len(l.log)
}
