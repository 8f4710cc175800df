// Package server has a queue between the goroutines of a process.
package server

import (
	"errors"
	"sync"
	"sync/atomic"
)

const ipQueueDefaultMaxRecycleSize = 4 * 1024

var errIPQLenLimitReached = errors.New("IPQ len limit reached")

// This is a generic intra-process queue.
type ipQueue[T any] struct {
	inprogress int64
	sync.Mutex
	ch   chan struct{}
	elts []T
	pos  int
	pool *sync.Pool
	mlen int
}

func newIPQueue[T any](mlen int) *ipQueue[T] {
	return &ipQueue[T]{
		ch: make(chan struct{}, 1),
		pool: &sync.Pool{
			New: func() any {
				res := make([]T, 0, 32)
				return &res
			},
		},
		mlen: mlen,
	}
}

// Add the element `e` to the queue, notifying the queue channel's `ch` if the
// entry is the first to be added, and returns the length of the queue after
// this element is added.
func (q *ipQueue[T]) push(e T) (int, error) {
	q.Lock()
	l := len(q.elts) - q.pos
	if q.mlen > 0 && l == q.mlen {
		q.Unlock()
		return l, errIPQLenLimitReached
	}
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
	return l + 1, nil
}

// Returns the whole list of elements currently present in the queue,
// emptying the queue. This should be called after receiving a notification
// from the queue's `ch` notification channel that indicates that there
// is something in the queue.
// However, in cases where `drain()` may be called from another go
// routine, it is possible that a routine is notified that there is
// something, but by the time it calls `pop()`, the drain() would have
// emptied the queue. So the caller should never assume that pop() will
// return a slice of 1 or more, it could return `nil`.
func (q *ipQueue[T]) pop() []T {
	q.Lock()
	if len(q.elts)-q.pos == 0 {
		q.Unlock()
		return nil
	}
	var elts []T
	if q.pos == 0 {
		elts = q.elts
	} else {
		elts = q.elts[q.pos:]
	}
	q.elts, q.pos = nil, 0
	atomic.AddInt64(&q.inprogress, int64(len(elts)))
	q.Unlock()
	return elts
}

// Returns the first element from the queue, if any. The caller should
// always check the boolean return value.
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
		q.elts, q.pos = nil, 0
	}
	q.Unlock()
	return e, true
}

// After a pop(), the slice can be recycled for the next push() when
// a first element is added to the queue.
// This will also decrement the "in progress" count with the length
// of the slice.
// WARNING: The caller MUST never reuse `elts`.
func (q *ipQueue[T]) recycle(elts *[]T) {
	// If invoked with a nil list, nothing to do.
	if elts == nil || *elts == nil {
		return
	}
	// Update the in progress count.
	if len(*elts) > 0 {
		atomic.AddInt64(&q.inprogress, int64(-(len(*elts))))
	}
	// We also don't want to recycle huge slices, so check against the max.
	if cap(*elts) > ipQueueDefaultMaxRecycleSize {
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

// Empty the queue and consumes the notification signal if present.
// Returns the number of items that were drained from the queue.
func (q *ipQueue[T]) drain() int {
	q.Lock()
	olen := len(q.elts) - q.pos
	q.elts, q.pos = nil, 0
	// Consume the signal if it was present to reduce the chance of a reader
	// routine to be think that there is something in the queue...
	select {
	case <-q.ch:
	default:
	}
	q.Unlock()
	return olen
}

// Since the length of the queue goes to 0 after a pop(), it is good to
// have an insight on how many elements are yet to be processed after a pop().
func (q *ipQueue[T]) inProgress() int64 {
	return atomic.LoadInt64(&q.inprogress)
}

type request struct {
	subject string
	msg     []byte
}

// API handles requests in their order, by one goroutine.
type API struct {
	queue  *ipQueue[*request]
	quitCh chan struct{}
	handle func(subject string, msg []byte)
}

// NewAPI starts the goroutine. It ends when the channel is closed.
func NewAPI(limit int, quitCh chan struct{}, handle func(string, []byte)) *API {
	a := &API{queue: newIPQueue[*request](limit), quitCh: quitCh, handle: handle}
	go a.processRequests()
	return a
}

// Request adds a request, unless the queue is full.
func (a *API) Request(subject string, msg []byte) error {
	_, err := a.queue.push(&request{subject, msg})
	return err
}

// Drop removes the requests that wait and returns how many that were.
func (a *API) Drop() int { return a.queue.drain() }

// Waiting returns how many requests wait.
func (a *API) Waiting() int { return a.queue.len() }

// InProgress returns how many requests were taken and are not done yet.
func (a *API) InProgress() int64 { return a.queue.inProgress() }

func (a *API) processRequests() {
	for {
		select {
		case <-a.queue.ch:
			reqs := a.queue.pop()
			for _, r := range reqs {
				a.handle(r.subject, r.msg)
			}
			a.queue.recycle(&reqs)
		case <-a.quitCh:
			return
		}
	}
}
