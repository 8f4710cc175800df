package server

import (
	"sync"
	"sync/atomic"
)

const ipQueueDefaultMaxRecycleSize = 4 * 1024

// This is a generic intra-process queue.
type ipQueue[T any] struct {
	inprogress int64
	sync.Mutex
	ch   chan struct{}
	elts []T
	pos  int
	pool *sync.Pool
	mrs  int
	name string
}

func newIPQueue[T any](name string) *ipQueue[T] {
	return &ipQueue[T]{
		ch: make(chan struct{}, 1),
		pool: &sync.Pool{
			New: func() any {
				// Reason we use pointer to slice instead of slice is explained
				// here: https://staticcheck.io/docs/checks#SA6002
				res := make([]T, 0, 32)
				return &res
			},
		},
		mrs:  ipQueueDefaultMaxRecycleSize,
		name: name,
	}
}

// Add the element `e` to the queue, notifying the queue channel's `ch` if the
// entry is the first to be added, and returns the length of the queue after
// this element is added.
func (q *ipQueue[T]) push(e T) int {
	q.Lock()
	l := len(q.elts) - q.pos
	if q.elts == nil {
		// What comes out of the pool is already of size 0, so no need for [:0].
		q.elts = *(q.pool.Get().(*[]T))
	}
	q.elts = append(q.elts, e)
	q.Unlock()
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
// In cases where `drain()` may be called from another go routine, it is
// possible that a routine is notified that there is something, but by the
// time it calls `pop()`, the drain() would have emptied the queue. So the
// caller should never assume that pop() will return a slice of 1 or more,
// it could return `nil`.
func (q *ipQueue[T]) pop() []T {
	q.Lock()
	if len(q.elts)-q.pos == 0 {
		q.Unlock()
		return nil
	}
	elts := q.elts[q.pos:]
	q.elts, q.pos = nil, 0
	atomic.AddInt64(&q.inprogress, int64(len(elts)))
	q.Unlock()
	return elts
}

// Returns the first element from the queue, if any. The caller should always check the
// boolean return value to ensure that the value is genuine and not a
// default empty value.
func (q *ipQueue[T]) popOne() (T, bool) {
	q.Lock()
	l := len(q.elts) - q.pos
	if l == 0 {
		q.Unlock()
		var empty T
		return empty, false
	}
	e := q.elts[q.pos]
	if l--; l > 0 {
		q.pos++
		// We need to re-signal
		select {
		case q.ch <- struct{}{}:
		default:
		}
	} else {
		// We have just emptied the queue, so we can reuse unless it is too big.
		if cap(q.elts) <= q.mrs {
			q.elts = q.elts[:0]
		} else {
			q.elts = nil
		}
		q.pos = 0
	}
	q.Unlock()
	return e, true
}

// After a pop(), the slice can be recycled for the next push() when
// a first element is added to the queue.
// WARNING: The caller MUST never reuse `elts`.
func (q *ipQueue[T]) recycle(elts *[]T) {
	if elts == nil || *elts == nil {
		return
	}
	// Update the in progress count.
	if len(*elts) > 0 {
		atomic.AddInt64(&q.inprogress, int64(-(len(*elts))))
	}
	if cap(*elts) > q.mrs {
		return
	}
	(*elts) = (*elts)[:0]
	q.pool.Put(elts)
}

// Returns the current length of the queue.
func (q *ipQueue[T]) len() int {
	q.Lock()
	defer q.Unlock()
	return len(q.elts) - q.pos
}

type inMsg struct {
	subj string
	msg  []byte
}

type stream struct {
	mu    sync.Mutex
	lseq  uint64
	bytes int
	msgs  *ipQueue[*inMsg]
	qch   chan struct{}
}

func newStream() *stream {
	mset := &stream{msgs: newIPQueue[*inMsg]("messages"), qch: make(chan struct{})}
	go mset.internalLoop()
	return mset
}

// queueInbound is called from the read loops of the clients.
func (mset *stream) queueInbound(subj string, msg []byte) {
	mset.msgs.push(&inMsg{subj, msg})
}

func (mset *stream) processJetStreamMsg(im *inMsg) {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	mset.lseq++
	mset.bytes += len(im.msg)
}

// Internal message loop.
func (mset *stream) internalLoop() {
	for {
		select {
		case <-mset.msgs.ch:
			ims := mset.msgs.pop()
			for _, im := range ims {
				mset.processJetStreamMsg(im)
			}
			mset.msgs.recycle(&ims)
		case <-mset.qch:
			return
		}
	}
}
