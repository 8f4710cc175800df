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
		ch:   make(chan struct{}, 1),
		mrs:  ipQueueDefaultMaxRecycleSize,
		name: name,
		pool: &sync.Pool{},
	}
}

// Add the element `e` to the queue, notifying the queue channel's `ch` if the
// entry is the first to be added, and returns the length of the queue after
// this element is added.
func (q *ipQueue[T]) push(e T) int {
	q.Lock()
	l := len(q.elts) - q.pos
	if l == 0 {
		if elts := q.pool.Get(); elts != nil {
			q.elts = (*(elts.(*[]T)))[:0]
		} else {
			q.elts = make([]T, 0, 32)
		}
		q.pos = 0
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
// However, in cases where `drain()` may be called from another go
// routine, it is possible that a routine is notified that there is
// something, but by the time it calls `pop()`, the drain() would have
// emptied the queue. So the caller should never assume that pop() will
// return a slice of 1 or more, it could return `nil`.
func (q *ipQueue[T]) pop() []T {
	if q == nil {
		return nil
	}
	q.Lock()
	defer q.Unlock()
	if len(q.elts)-q.pos == 0 {
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
	return elts
}

// After a pop(), the slice can be recycled for the next push() when
// a first element is added to the queue.
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
	if cap(*elts) > q.mrs {
		return
	}
	clear(*elts)
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
// Note that this could cause a reader go routine that has been
// notified that there is something in the queue (reading from queue's `ch`)
// may then get nothing if `drain()` is invoked before the `pop()`.
func (q *ipQueue[T]) drain() int {
	if q == nil {
		return 0
	}
	q.Lock()
	defer q.Unlock()
	olen := len(q.elts) - q.pos
	q.elts, q.pos = nil, 0
	return olen
}

type message struct {
	subject string
	data    []byte
}

type stream struct {
	msgs *ipQueue[*message]
	qch  chan struct{}
	done chan struct{}
	proc func(*message)
}

func newStream(proc func(*message)) *stream {
	s := &stream{msgs: newIPQueue[*message]("messages"), qch: make(chan struct{}), done: make(chan struct{}), proc: proc}
	go s.internalLoop()
	return s
}

// queueInbound is called by the read loops of the clients.
func (s *stream) queueInbound(subject string, data []byte) {
	s.msgs.push(&message{subject, data})
}

func (s *stream) internalLoop() {
	defer close(s.done)
	for {
		select {
		case <-s.msgs.ch:
			msgs := s.msgs.pop()
			for _, m := range msgs {
				s.proc(m)
			}
			s.msgs.recycle(&msgs)
		case <-s.qch:
			s.msgs.drain()
			return
		}
	}
}

func (s *stream) stop() {
	close(s.qch)
	<-s.done
}
