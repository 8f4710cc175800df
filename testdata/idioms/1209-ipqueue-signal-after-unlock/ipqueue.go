package server

import (
	"sync"
	"sync/atomic"
)

// This is a generic intra-process queue.
type ipQueue[T any] struct {
	inprogress int64
	sync.Mutex
	ch   chan struct{}
	elts []T
	pos  int
	name string
	m    *sync.Map
}

func newIPQueue[T any](m *sync.Map, name string) *ipQueue[T] {
	q := &ipQueue[T]{
		ch:   make(chan struct{}, 1),
		name: name,
		m:    m,
	}
	m.Store(name, q)
	return q
}

// Add the element `e` to the queue, notifying the queue channel's `ch` if the
// entry is the first to be added, and returns the length of the queue after
// this element is added.
func (q *ipQueue[T]) push(e T) int {
	q.Lock()
	l := len(q.elts) - q.pos
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
	elts := q.elts[q.pos:]
	q.elts, q.pos = nil, 0
	atomic.AddInt64(&q.inprogress, int64(len(elts)))
	q.Unlock()
	return elts
}

// Returns the first element from the queue, if any. The caller should always
// check the boolean return value to ensure that the value is genuine and not a
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
		q.elts, q.pos = q.elts[:0], 0
	}
	q.Unlock()
	return e, true
}

// After a pop(), the slice is done with and the in-progress count goes down.
func (q *ipQueue[T]) recycle(elts *[]T) {
	if elts == nil || *elts == nil {
		return
	}
	atomic.AddInt64(&q.inprogress, -int64(len(*elts)))
}

// Returns the current length of the queue.
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
	if olen > 0 {
		select {
		case <-q.ch:
		default:
		}
	}
	q.Unlock()
	return olen
}

type inMsg struct {
	subj string
	msg  []byte
}

type receiver struct {
	q      *ipQueue[*inMsg]
	quitCh chan struct{}
	handle func(*inMsg)
}

func (r *receiver) loop() {
	for {
		select {
		case <-r.q.ch:
			msgs := r.q.pop()
			for _, m := range msgs {
				r.handle(m)
			}
			r.q.recycle(&msgs)
		case <-r.quitCh:
			return
		}
	}
}
