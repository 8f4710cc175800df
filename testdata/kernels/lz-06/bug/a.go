package a

import (
	"sync"
	"sync/atomic"
	"time"
)

type inMsg struct {
	subj string
	msg  []byte
}

type sourceInfo struct {
	name string
	msgs chan *inMsg
	qch  chan struct{}
	last atomic.Int64
	wg   sync.WaitGroup
}

type Server struct {
	quitCh chan struct{}
	grWG   sync.WaitGroup
}

type stream struct {
	mu     sync.RWMutex
	srv    *Server
	leader bool
	closed bool
	lseq   uint64
	mirror *sourceInfo
}

func (mset *stream) processInboundMirrorMsg(mirror *sourceInfo, m *inMsg) bool {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if mset.closed || mset.mirror != mirror {
		return false
	}
	mirror.last.Store(time.Now().UnixNano())
	mset.lseq++
	return true
}

func (mset *stream) processMirrorMsgs(mirror *sourceInfo, ready *sync.WaitGroup) {
	s := mset.srv
	defer func() {
		mirror.wg.Done()
		s.grWG.Done()
	}()

	// Grab stream quit channel.
	mset.mu.Lock()
	msgs, siqch := mirror.msgs, mirror.qch
	// Set the last seen as now so that we don't fail at the first check.
	mirror.last.Store(time.Now().UnixNano())
	mset.mu.Unlock()

	// Signal the caller that we have captured the above fields.
	ready.Done()

	for {
		select {
		case <-s.quitCh:
			return
		case <-siqch:
			return
		case im := <-msgs:
			mset.processInboundMirrorMsg(mirror, im)
		}
	}
}

// Lock should be held.
func (mset *stream) cancelMirrorConsumer() {
	si := mset.mirror
	if si == nil {
		return
	}
	if si.qch != nil {
		close(si.qch)
		si.qch = nil
	}
}

func (mset *stream) setupMirrorConsumer(name string) {
	var ready sync.WaitGroup

	mset.mu.Lock()
	if mset.closed || !mset.leader {
		mset.mu.Unlock()
		return
	}
	mset.cancelMirrorConsumer()
	mirror := &sourceInfo{name: name, msgs: make(chan *inMsg, 64), qch: make(chan struct{})}
	mset.mirror = mirror
	mirror.wg.Add(1)
	mset.srv.grWG.Add(1)
	ready.Add(1)
	go mset.processMirrorMsgs(mirror, &ready)
	mset.mu.Unlock()

	ready.Wait()
}

func (mset *stream) setLeader(isLeader bool) {
	mset.mu.Lock()
	mset.leader = isLeader
	if !isLeader {
		mset.cancelMirrorConsumer()
	}
	mset.mu.Unlock()
}

func (mset *stream) stop() {
	mset.mu.Lock()
	mset.closed = true
	mirror := mset.mirror
	mset.cancelMirrorConsumer()
	mset.mu.Unlock()
	if mirror != nil {
		mirror.wg.Wait()
	}
}
