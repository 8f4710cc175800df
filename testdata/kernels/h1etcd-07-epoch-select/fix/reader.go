// Package fence lets a replica answer reads that have to see every write that
// was confirmed before the read began. The replica asks the leader for its
// position and waits until it has applied the writes up to there.
//
// A leader that was replaced does not know it at once and may still answer,
// with a position that is too low. Therefore the link to the cluster tells the
// reader of a new epoch before a write of the new leader is confirmed, and an
// answer counts only if the epoch was still the same when it was taken.
package fence

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrEpochChanged = errors.New("fence: the leader has changed")
	ErrTimeout      = errors.New("fence: no answer from the leader")
	ErrStopped      = errors.New("fence: stopped")
)

// Position is the answer of a leader.
type Position struct {
	Request uint64
	Index   uint64
}

// Link sends requests to the present leader. The answers are passed to
// Reader.Answer.
type Link interface {
	AskPosition(ctx context.Context, request uint64) error
}

// signal tells any number of goroutines that something has happened.
type signal struct {
	mu sync.RWMutex
	ch chan struct{}
}

func newSignal() *signal { return &signal{ch: make(chan struct{})} }

// receive returns a channel that is closed at the next notify.
func (s *signal) receive() <-chan struct{} {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.ch
}

func (s *signal) notify() {
	next := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.ch)
	s.ch = next
}

// batch is a number of reads that wait for the same position.
type batch struct {
	done chan struct{}
	err  error // set before done is closed
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

func (b *batch) finish(err error) {
	b.err = err
	close(b.done)
}

// Options are the times that a reader uses.
type Options struct {
	Timeout time.Duration // for one request
	Retry   time.Duration // between two questions for one request
}

// Reader confirms reads, many of them with one question to the leader.
type Reader struct {
	link Link
	opts Options

	epoch   *signal
	answers chan Position
	wanted  chan struct{}
	stop    chan struct{}
	stopped chan struct{}

	lastRequest uint64 // used by the loop only

	mu   sync.Mutex
	next *batch // the reads that wait for the next question

	applied   atomic.Uint64
	appliedMu sync.Mutex
	appliedC  *sync.Cond
}

// NewReader starts a reader.
func NewReader(link Link, opts Options) *Reader {
	r := &Reader{
		link:    link,
		opts:    opts,
		epoch:   newSignal(),
		answers: make(chan Position, 8),
		wanted:  make(chan struct{}, 1),
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
		next:    newBatch(),
	}
	r.appliedC = sync.NewCond(&r.appliedMu)
	go r.loop()
	return r
}

// NewEpoch is called by the link when there is another leader.
func (r *Reader) NewEpoch() { r.epoch.notify() }

// Answer is called by the link with the answer of a leader.
func (r *Reader) Answer(p Position) {
	select {
	case r.answers <- p:
	case <-r.stop:
	}
}

// Applied is called, with rising numbers, when writes were applied.
func (r *Reader) Applied(index uint64) {
	r.appliedMu.Lock()
	r.applied.Store(index)
	r.appliedC.Broadcast()
	r.appliedMu.Unlock()
}

// Confirm returns when the replica has applied all writes that were confirmed
// before the call. The caller may try again after ErrEpochChanged.
func (r *Reader) Confirm(ctx context.Context) error {
	r.mu.Lock()
	b := r.next
	r.mu.Unlock()

	select {
	case r.wanted <- struct{}{}:
	default:
	}
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return ctx.Err()
	case <-r.stopped:
		return ErrStopped
	}
}

func (r *Reader) loop() {
	defer close(r.stopped)
	for {
		changed := r.epoch.receive()
		select {
		case <-changed:
			continue
		case <-r.wanted:
		case <-r.stop:
			return
		}

		// Reads that come from now on wait for the next question.
		r.mu.Lock()
		b := r.next
		r.next = newBatch()
		r.mu.Unlock()

		index, err := r.leaderPosition(changed)
		if err == nil {
			err = r.waitApplied(index)
		}
		b.finish(err)
	}
}

// leaderPosition asks the leader for its position. The channel changed is
// closed if another leader was elected since before the call.
func (r *Reader) leaderPosition(changed <-chan struct{}) (uint64, error) {
	r.lastRequest++
	request := r.lastRequest
	if err := r.ask(request); err != nil {
		return 0, err
	}

	timeout := time.NewTimer(r.opts.Timeout)
	defer timeout.Stop()
	retry := time.NewTicker(r.opts.Retry)
	defer retry.Stop()
	for {
		select {
		case p := <-r.answers:
			// Select takes any of the channels that are ready.
			select {
			case <-changed:
				return 0, ErrEpochChanged
			default:
			}
			if p.Request != request {
				continue // the answer to a question that has timed out
			}
			return p.Index, nil
		case <-changed:
			return 0, ErrEpochChanged
		case <-retry.C:
			if err := r.ask(request); err != nil {
				return 0, err
			}
		case <-timeout.C:
			return 0, ErrTimeout
		case <-r.stop:
			return 0, ErrStopped
		}
	}
}

func (r *Reader) ask(request uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), r.opts.Timeout)
	defer cancel()
	return r.link.AskPosition(ctx, request)
}

// waitApplied waits until the writes up to index were applied.
func (r *Reader) waitApplied(index uint64) error {
	if r.applied.Load() >= index {
		return nil
	}
	r.appliedMu.Lock()
	defer r.appliedMu.Unlock()
	for r.applied.Load() < index {
		select {
		case <-r.stop:
			return ErrStopped
		default:
		}
		r.appliedC.Wait()
	}
	return nil
}

// Stop ends the reader. It must be called once.
func (r *Reader) Stop() {
	close(r.stop)
	r.appliedMu.Lock()
	r.appliedC.Broadcast()
	r.appliedMu.Unlock()
	<-r.stopped
}
