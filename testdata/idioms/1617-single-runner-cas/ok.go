package a

import (
	"sync"
	"sync/atomic"
)

type ackFloor struct{ consumer, stream uint64 }

type consumer struct {
	mu    sync.RWMutex
	floor ackFloor
}

func (o *consumer) ack(seq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if seq > o.floor.stream {
		o.floor.stream = seq
		o.floor.consumer++
	}
}

func (o *consumer) ackFloorStream() uint64 {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.floor.stream
}

// Stream removes the messages that all of its consumers have acked.
type Stream struct {
	mu        sync.RWMutex
	consumers []*consumer
	first     uint64
	last      uint64
	cisrun    atomic.Bool // Indicates one checkInterestState is already running.
}

func NewStream() *Stream { return &Stream{first: 1} }

func (mset *Stream) AddConsumer() func(seq uint64) {
	o := &consumer{}
	mset.mu.Lock()
	o.floor.stream = mset.first - 1
	mset.consumers = append(mset.consumers, o)
	mset.mu.Unlock()
	return o.ack
}

func (mset *Stream) Store() uint64 {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	mset.last++
	return mset.last
}

func (mset *Stream) Pending() uint64 {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.last + 1 - mset.first
}

// CheckInterestState moves the first sequence up to the lowest ack floor. It is
// called from time to time; one run at a time is enough.
func (mset *Stream) CheckInterestState() {
	if !mset.cisrun.CompareAndSwap(false, true) {
		return
	}
	defer mset.cisrun.Store(false)

	mset.mu.Lock()
	defer mset.mu.Unlock()
	floor := mset.last
	for _, o := range mset.consumers {
		floor = min(floor, o.ackFloorStream())
	}
	if len(mset.consumers) > 0 && floor >= mset.first {
		mset.first = floor + 1
	}
}
