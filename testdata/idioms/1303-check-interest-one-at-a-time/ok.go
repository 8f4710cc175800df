package server

import (
	"sync"
	"sync/atomic"
	"time"
)

type StreamState struct {
	FirstSeq uint64
	LastSeq  uint64
}

// StreamStore is safe for concurrent use.
type StreamStore interface {
	FastState(ss *StreamState)
	RemoveMsg(seq uint64)
}

type consumer struct {
	mu     sync.RWMutex
	asflr  uint64 // ack floor
	chkflr uint64 // our check floor, interest streams only.
	mset   *stream
}

func (o *consumer) ack(seq uint64) {
	o.mu.Lock()
	if seq > o.asflr {
		o.asflr = seq
	}
	o.mu.Unlock()
}

// Check that we do not have messages that have been acked by all.
func (o *consumer) checkStateForInterestStream(ss *StreamState) {
	o.mu.RLock()
	asflr, chkflr := o.asflr, o.chkflr
	o.mu.RUnlock()

	// Protect ourselves against rolling backwards.
	if asflr > ss.LastSeq {
		return
	}
	seq := max(chkflr, ss.FirstSeq)
	for ; seq > 0 && seq <= asflr; seq++ {
		o.mset.ackMsg(seq)
	}
	o.mu.Lock()
	// Update our check floor.
	if seq > o.chkflr {
		o.chkflr = seq
	}
	o.mu.Unlock()
}

type stream struct {
	mu        sync.RWMutex
	store     StreamStore
	consumers map[string]*consumer
	cisrun    atomic.Bool // Indicates one checkInterestState is already running.
	qch       chan struct{}
}

func newStream(store StreamStore) *stream {
	mset := &stream{store: store, consumers: make(map[string]*consumer), qch: make(chan struct{})}
	go mset.monitor()
	return mset
}

func (mset *stream) addConsumer(name string) *consumer {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if o := mset.consumers[name]; o != nil {
		return o
	}
	o := &consumer{mset: mset}
	mset.consumers[name] = o
	return o
}

func (mset *stream) getConsumers() []*consumer {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	var obs []*consumer
	for _, o := range mset.consumers {
		obs = append(obs, o)
	}
	return obs
}

// ackMsg removes the message when all consumers are past it. Removing a
// message that is gone already does nothing.
func (mset *stream) ackMsg(seq uint64) {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	for _, o := range mset.consumers {
		o.mu.RLock()
		pending := o.asflr < seq
		o.mu.RUnlock()
		if pending {
			return
		}
	}
	mset.store.RemoveMsg(seq)
}

// checkInterestState may be called from several goroutines.
func (mset *stream) checkInterestState() {
	// Ensure only one of these runs at the same time.
	if !mset.cisrun.CompareAndSwap(false, true) {
		return
	}
	defer mset.cisrun.Store(false)

	var ss StreamState
	mset.store.FastState(&ss)

	for _, o := range mset.getConsumers() {
		o.checkStateForInterestStream(&ss)
	}
}

func (mset *stream) monitor() {
	t := time.NewTicker(30 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-mset.qch:
			return
		case <-t.C:
			go mset.checkInterestState()
		}
	}
}
