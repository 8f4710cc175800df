// Package ok has an intra-process queue.
package ok

import (
	"errors"
	"sync"
	"sync/atomic"
)

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

func newIPQueue[T any](limit int) *ipQueue[T] {
	return &ipQueue[T]{
		ch:   make(chan struct{}, 1),
		mlen: limit,
		pool: &sync.Pool{
			New: func() any {
				res := make([]T, 0, 32)
				return &res
			},
		},
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
// is something in the queue. However, in cases where `drain()` may be called
// from another go routine, it is possible that a routine is notified that
// there is something, but by the time it calls `pop()`, the drain() would have
// emptied the queue. So the caller should never assume that pop() will return
// a slice of 1 or more, it could return `nil`.
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

// Returns the first element from the queue, if any.
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
		q.elts, q.pos = q.elts[:0], 0
	}
	q.Unlock()
	return e, true
}

// After a pop(), the slice can be recycled for the next push() when
// a first element is added to the queue.
func (q *ipQueue[T]) recycle(elts *[]T) {
	if elts == nil || *elts == nil {
		return
	}
	atomic.AddInt64(&q.inprogress, int64(-(len(*elts))))
	*elts = (*elts)[:0]
	q.pool.Put(elts)
}

// Returns the current length of the queue; good for statistics only.
func (q *ipQueue[T]) len() int {
	q.Lock()
	defer q.Unlock()
	return len(q.elts) - q.pos
}

// Empty the queue and consumes the notification signal if present.
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

// consume is the goroutine that empties the queue.
func (q *ipQueue[T]) consume(quit <-chan struct{}, fn func(T)) {
	for {
		select {
		case <-quit:
			return
		case <-q.ch:
			elts := q.pop()
			for _, e := range elts {
				fn(e)
			}
			q.recycle(&elts)
		}
	}
}
