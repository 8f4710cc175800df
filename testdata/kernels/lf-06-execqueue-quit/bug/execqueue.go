package les

import (
	"sync/atomic"
)

// ExecQueue implements a queue that executes function calls in a single thread,
// in the same order as they have been queued.
type execQueue struct {
	chn                 chan func()
	cnt, stop, capacity int32
}

// NewExecQueue creates a new execution queue.
func newExecQueue(capacity int32) *execQueue {
	q := &execQueue{
		chn:      make(chan func(), capacity),
		capacity: capacity,
	}
	go q.loop()
	return q
}

func (q *execQueue) loop() {
	for f := range q.chn {
		atomic.AddInt32(&q.cnt, -1)
		if atomic.LoadInt32(&q.stop) != 0 {
			return
		}
		f()
	}
}

// CanQueue returns true if more  function calls can be added to the execution queue.
func (q *execQueue) canQueue() bool {
	return atomic.LoadInt32(&q.stop) == 0 && atomic.LoadInt32(&q.cnt) < q.capacity
}

// Queue adds a function call to the execution queue. Returns true if successful.
func (q *execQueue) queue(f func()) bool {
	if atomic.LoadInt32(&q.stop) != 0 {
		return false
	}
	if atomic.AddInt32(&q.cnt, 1) > q.capacity {
		atomic.AddInt32(&q.cnt, -1)
		return false
	}
	q.chn <- f
	return true
}

// Stop stops the exec queue.
func (q *execQueue) quit() {
	atomic.StoreInt32(&q.stop, 1)
}
