// Package server mirrors a stream of another cluster.
package server

import (
	"errors"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

var errStreamClosed = errors.New("stream closed")

const (
	sourceHealthCheckInterval    = 10 * time.Second
	sourceConsumerRetryThreshold = 10 * time.Second
	srcConsumerWaitTime          = 30 * time.Second
)

type inMsg struct {
	seq uint64
	msg []byte
}

// Upstream has the stream that is mirrored.
type Upstream interface {
	// CreateConsumer asks for the messages after lseq. The answer is sent to respCh.
	CreateConsumer(lseq uint64, respCh chan<- error)
	// Subscribe delivers messages to the channel.
	Subscribe(msgs chan<- *inMsg) (unsubscribe func())
}

type sourceInfo struct {
	unsub func()
	sseq  uint64
	msgs  chan *inMsg
	qch   chan struct{}
	sip   bool // setup in progress
	lreq  time.Time
	fails int
	last  atomic.Int64
	wg    sync.WaitGroup
}

type stream struct {
	up    Upstream
	store func(msg []byte)
	qch   chan struct{}

	mu     sync.RWMutex
	leader bool
	closed bool
	lseq   uint64
	mirror *sourceInfo
	retry  *time.Timer
}

// NewMirror returns a mirror that is not leader yet.
func NewMirror(up Upstream, store func([]byte)) *stream {
	return &stream{up: up, store: store, qch: make(chan struct{})}
}

// SetLeader is called when the leader of the mirror changes.
func (mset *stream) SetLeader(isLeader bool) error {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	mset.leader = isLeader
	if isLeader {
		return mset.setupMirrorConsumer()
	}
	mset.cancelMirrorConsumer()
	return nil
}

// Stop ends the mirror. It waits for the messages that are processed.
func (mset *stream) Stop() {
	mset.mu.Lock()
	if mset.closed {
		mset.mu.Unlock()
		return
	}
	mset.closed = true
	close(mset.qch)
	mset.cancelMirrorConsumer()
	mset.mu.Unlock()
}

// Lag returns for how long nothing was received.
func (mset *stream) Lag() time.Duration {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	if mset.mirror == nil {
		return -1
	}
	return time.Since(time.Unix(0, mset.mirror.last.Load()))
}

// processMirrorMsgs processes the messages until the mirror is canceled.
func (mset *stream) processMirrorMsgs(mirror *sourceInfo, ready *sync.WaitGroup) {
	defer mirror.wg.Done()

	// Grab stream quit channel.
	mset.mu.Lock()
	msgs, qch, siqch := mirror.msgs, mset.qch, mirror.qch
	// Set the last seen as now so that we don't fail at the first check.
	mirror.last.Store(time.Now().UnixNano())
	mset.mu.Unlock()

	// Signal the caller that we have captured the above fields.
	ready.Done()

	t := time.NewTicker(sourceHealthCheckInterval)
	defer t.Stop()

	for {
		select {
		case <-qch:
			return
		case <-siqch:
			return
		case im := <-msgs:
			mset.processInboundMirrorMsg(mirror, im)
		case <-t.C:
			mset.mu.RLock()
			stalled := time.Since(time.Unix(0, mirror.last.Load())) > sourceHealthCheckInterval
			mset.mu.RUnlock()
			// We are stalled.
			if stalled {
				mset.retryMirrorConsumer()
			}
		}
	}
}

// processInboundMirrorMsg handles processing messages bound for a stream.
func (mset *stream) processInboundMirrorMsg(mirror *sourceInfo, im *inMsg) {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if !mset.leader || mset.closed {
		return
	}
	mirror.last.Store(time.Now().UnixNano())
	// Ignore what we have already.
	if im.seq != mirror.sseq+1 {
		return
	}
	mirror.sseq = im.seq
	mset.lseq++
	mset.store(im.msg)
}

// Lock should be held.
func (mset *stream) cancelMirrorConsumer() {
	if mset.mirror != nil {
		mset.cancelSourceInfo(mset.mirror)
	}
}

// Lock should be held.
func (mset *stream) cancelSourceInfo(si *sourceInfo) {
	if si.unsub != nil {
		si.unsub()
		si.unsub = nil
	}
	if si.qch != nil {
		close(si.qch)
		si.qch = nil
	}
	if mset.retry != nil {
		mset.retry.Stop()
		mset.retry = nil
	}
}

func (mset *stream) retryMirrorConsumer() error {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	mset.cancelMirrorConsumer()
	return mset.setupMirrorConsumer()
}

// Lock should be held.
func (mset *stream) scheduleSetupMirrorConsumerRetry() {
	if mset.retry != nil {
		mset.retry.Stop()
	}
	mset.retry = time.AfterFunc(sourceConsumerRetryThreshold, func() {
		mset.mu.Lock()
		mset.setupMirrorConsumer()
		mset.mu.Unlock()
	})
}

// Setup our mirror consumer.
// Lock should be held.
func (mset *stream) setupMirrorConsumer() error {
	if mset.closed {
		return errStreamClosed
	}
	// If this is the first time
	if mset.mirror == nil {
		mset.mirror = &sourceInfo{}
	} else {
		mset.cancelSourceInfo(mset.mirror)
		mset.mirror.sseq = mset.lseq
	}
	// If we are no longer the leader stop trying.
	if !mset.leader {
		return nil
	}
	mirror := mset.mirror

	// We want to throttle here in terms of how fast we request new consumers,
	// or if the previous is still in progress.
	if last := time.Since(mirror.lreq); last < sourceConsumerRetryThreshold || mirror.sip {
		mset.scheduleSetupMirrorConsumerRetry()
		return nil
	}
	mirror.lreq = time.Now()
	mirror.sip = true

	// Send the consumer create request
	respCh := make(chan error, 1)
	mset.up.CreateConsumer(mset.lseq, respCh)
	go mset.finishMirrorSetup(mirror, respCh)
	return nil
}

func (mset *stream) finishMirrorSetup(mirror *sourceInfo, respCh <-chan error) {
	var retry bool
	defer func() {
		mset.mu.Lock()
		defer mset.mu.Unlock()
		mirror.sip = false
		if retry && mset.leader && !mset.closed {
			mirror.fails++
			// Cancel here since we can not do anything with this consumer at this point.
			mset.cancelSourceInfo(mirror)
			mset.scheduleSetupMirrorConsumerRetry()
		} else {
			// Clear on success.
			mirror.fails = 0
		}
	}()

	// Wait for previous processMirrorMsgs go routine to be completely done.
	// If none is running, this will not block.
	mirror.wg.Wait()

	select {
	case err := <-respCh:
		mset.mu.Lock()
		if err != nil || !mset.leader || mset.closed {
			log.Printf("JetStream error response for create mirror consumer: %v", err)
			retry = true
			mset.mu.Unlock()
			return
		}
		// Setup actual subscription to process messages from our source.
		// Create a new queue each time
		mirror.msgs = make(chan *inMsg, 1024)
		mirror.unsub = mset.up.Subscribe(mirror.msgs)
		mirror.sseq = mset.lseq
		mirror.qch = make(chan struct{})
		mirror.wg.Add(1)
		ready := sync.WaitGroup{}
		ready.Add(1)
		go mset.processMirrorMsgs(mirror, &ready)
		mset.mu.Unlock()
		ready.Wait()
	case <-time.After(srcConsumerWaitTime):
		// We already waited 30 seconds, let's retry now.
		retry = true
	case <-mset.qch:
	}
}
