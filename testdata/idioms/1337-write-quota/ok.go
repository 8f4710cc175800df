package transport

import (
	"errors"
	"sync/atomic"
)

var errStreamDone = errors.New("the stream is done")

// writeQuota is a soft limit on the amount of data a stream can
// schedule before some of it is written out.
type writeQuota struct {
	quota int32
	// get waits on read from when quota goes less than or equal to zero.
	// replenish writes on it when quota goes positive again.
	ch chan struct{}
	// done is triggered in error case.
	done <-chan struct{}
}

func newWriteQuota(sz int32, done <-chan struct{}) *writeQuota {
	return &writeQuota{quota: sz, ch: make(chan struct{}, 1), done: done}
}

// get takes sz, also if there is less: the quota may become negative. Only
// the sender of the stream calls it, so it cannot become much less.
func (w *writeQuota) get(sz int32) error {
	for {
		if atomic.LoadInt32(&w.quota) > 0 {
			atomic.AddInt32(&w.quota, -sz)
			return nil
		}
		select {
		case <-w.ch:
			continue
		case <-w.done:
			return errStreamDone
		}
	}
}

// replenish is called by the writer of the connection.
func (w *writeQuota) replenish(n int) {
	sz := int32(n)
	newQuota := atomic.AddInt32(&w.quota, sz)
	previousQuota := newQuota - sz
	// The add that makes it positive is the one that wakes the sender up. A
	// token that is already in the channel wakes it up as well.
	if previousQuota <= 0 && newQuota > 0 {
		select {
		case w.ch <- struct{}{}:
		default:
		}
	}
}

type dataFrame struct {
	d  []byte
	wq *writeQuota
}

type clientStream struct {
	wq    *writeQuota
	done  chan struct{}
	queue chan<- dataFrame
}

// newStream starts the sender of a stream, the only one that takes quota.
func newStream(queue chan<- dataFrame, msgs <-chan []byte) *clientStream {
	done := make(chan struct{})
	s := &clientStream{wq: newWriteQuota(64*1024, done), done: done, queue: queue}
	go s.sendLoop(msgs)
	return s
}

func (s *clientStream) sendLoop(msgs <-chan []byte) {
	for d := range msgs {
		if err := s.wq.get(int32(len(d))); err != nil {
			return
		}
		select {
		case s.queue <- dataFrame{d: d, wq: s.wq}:
		case <-s.done:
			return
		}
	}
}

// loopyWriter writes the data of all streams to the connection.
func loopyWriter(queue <-chan dataFrame, write func([]byte) error) error {
	for f := range queue {
		if err := write(f.d); err != nil {
			return err
		}
		f.wq.replenish(len(f.d))
	}
	return nil
}
