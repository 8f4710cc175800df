// Package ok is a queue between goroutines.
package ok

import (
	"errors"
	"sync"
	"sync/atomic"
)

const ipQueueDefaultMaxRecycleSize = 4 * 1024

var errIPQLenLimitReached = errors.New("IPQ len limit reached")

// ipQueue is an unbounded queue with a channel for notification.
type ipQueue[T any] struct {
	inprogress atomic.Int64
	ch         chan struct{}

	sync.Mutex
	elts []T
	pos  int
	pool *sync.Pool
	mlen int
}

func newIPQueue[T any](mlen int) *ipQueue[T] {
	return &ipQueue[T]{
		ch:   make(chan struct{}, 1),
		mlen: mlen,
		pool: &sync.Pool{New: func() any {
			s := make([]T, 0, 32)
			return &s
		}},
	}
}

// push adds the element to the queue, sending a notification if it is the first.
func (q *ipQueue[T]) push(e T) (int, error) {
	q.Lock()
	l := len(q.elts) - q.pos
	if q.mlen > 0 && l == q.mlen {
		q.Unlock()
		return l, errIPQLenLimitReached
	}
	if q.elts == nil {
		q.elts = (*q.pool.Get().(*[]T))[:0]
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

// pop returns the whole list of elements currently present in the queue. It
// may return an empty list since there can be a notification for elements
// that have already been returned.
func (q *ipQueue[T]) pop() []T {
	if q == nil {
		return nil
	}
	q.Lock()
	if len(q.elts)-q.pos == 0 {
		q.Unlock()
		return nil
	}
	elts := q.elts[q.pos:]
	q.elts, q.pos = nil, 0
	q.inprogress.Add(int64(len(elts)))
	q.Unlock()
	return elts
}

// recycle gives the list back after use.
func (q *ipQueue[T]) recycle(elts *[]T) {
	if elts == nil || *elts == nil {
		return
	}
	q.inprogress.Add(int64(-len(*elts)))
	if cap(*elts) > ipQueueDefaultMaxRecycleSize {
		return
	}
	clear(*elts)
	*elts = (*elts)[:0]
	q.pool.Put(elts)
}

func (q *ipQueue[T]) len() int {
	q.Lock()
	defer q.Unlock()
	return len(q.elts) - q.pos
}
