package a

import (
	"sync"
	"sync/atomic"
)

// ipQueue is a generic intra-process queue.
type ipQueue[T any] struct {
	mu         sync.Mutex
	ch         chan struct{} // capacity 1
	elts       []T
	inprogress atomic.Int64 // popped but not recycled yet
}

func newIPQueue[T any]() *ipQueue[T] {
	return &ipQueue[T]{ch: make(chan struct{}, 1)}
}

// Add the element `e` to the queue, notifying the queue channel's `ch` if the
// entry is the first to be added, and returns the length of the queue after
// this element is added.
func (q *ipQueue[T]) push(e T) int {
	q.mu.Lock()
	l := len(q.elts)
	q.elts = append(q.elts, e)
	q.mu.Unlock()
	if l == 0 {
		select {
		case q.ch <- struct{}{}:
		default:
		}
	}
	return l + 1
}

// Returns the whole list of elements currently present in the queue,
// emptying the queue. This should be called after receiving a notification
// from the queue's `ch` notification channel that indicates that there
// is something in the queue.
// The caller should never assume that pop() will return a slice of 1 or more,
// it could return `nil`.
func (q *ipQueue[T]) pop() []T {
	q.mu.Lock()
	if len(q.elts) == 0 {
		q.mu.Unlock()
		return nil
	}
	elts := q.elts
	q.elts = nil
	q.inprogress.Add(int64(len(elts)))
	q.mu.Unlock()
	return elts
}

// After a pop(), the slice can be recycled.
func (q *ipQueue[T]) recycle(elts []T) {
	q.inprogress.Add(-int64(len(elts)))
}

// Returns the current length of the queue.
func (q *ipQueue[T]) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.elts)
}

type inMsg struct {
	subject string
	data    []byte
}

// stream processes the messages that the routes queue for it.
type stream struct {
	msgs *ipQueue[*inMsg]
	qch  chan struct{}
	wg   sync.WaitGroup
}

func newStream(process func(*inMsg)) *stream {
	mset := &stream{msgs: newIPQueue[*inMsg](), qch: make(chan struct{})}
	mset.wg.Go(func() { mset.internalLoop(process) })
	return mset
}

// queueInbound is called by the read loops of the routes.
func (mset *stream) queueInbound(subject string, data []byte) {
	mset.msgs.push(&inMsg{subject, append([]byte(nil), data...)})
}

// pending returns the number of messages that wait to be processed, for the
// monitoring.
func (mset *stream) pending() int { return mset.msgs.len() }

func (mset *stream) internalLoop(process func(*inMsg)) {
	for {
		select {
		case <-mset.qch:
			return
		case <-mset.msgs.ch:
			ims := mset.msgs.pop()
			for _, im := range ims {
				process(im)
			}
			mset.msgs.recycle(ims)
		}
	}
}

// stop ends the loop; messages that are still queued are dropped.
func (mset *stream) stop() {
	close(mset.qch)
	mset.wg.Wait()
}
