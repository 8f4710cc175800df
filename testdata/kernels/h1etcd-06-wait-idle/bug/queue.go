// Package taskq runs the tasks of a document store one after the other.
package taskq

import (
	"context"
	"errors"
	"sync"
)

var ErrStopped = errors.New("taskq: stopped")

// Task is run by the goroutine of a queue. The context is done when the queue
// is stopped.
type Task func(ctx context.Context)

// Queue runs tasks in the order in which they were added.
type Queue struct {
	mu       sync.Mutex
	finish   *sync.Cond // of mu; a task has finished
	pending  []Task     // the first one may be running
	started  int
	finished int
	stopped  bool

	resume chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
}

// NewQueue starts a queue.
func NewQueue() *Queue {
	q := &Queue{
		resume: make(chan struct{}, 1),
		done:   make(chan struct{}),
	}
	q.finish = sync.NewCond(&q.mu)
	q.ctx, q.cancel = context.WithCancel(context.Background())
	go q.run()
	return q
}

// Add adds a task.
func (q *Queue) Add(t Task) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped {
		return ErrStopped
	}
	if len(q.pending) == 0 {
		select {
		case q.resume <- struct{}{}:
		default:
		}
	}
	q.pending = append(q.pending, t)
	return nil
}

// Pending returns the number of tasks that have not finished.
func (q *Queue) Pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.pending)
}

// Started returns the number of tasks that have been started so far.
func (q *Queue) Started() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.started
}

// Finished returns the number of tasks that have finished so far.
func (q *Queue) Finished() int {
	q.finish.L.Lock()
	defer q.finish.L.Unlock()
	return q.finished
}

// WaitFinish waits until all tasks have finished.
func (q *Queue) WaitFinish() {
	q.finish.L.Lock()
	before := q.finished
	q.finish.L.Unlock()

	q.finish.L.Lock()
	defer q.finish.L.Unlock()
	for q.finished == before || len(q.pending) != 0 {
		q.finish.Wait()
	}
}

// run is the goroutine of the queue.
func (q *Queue) run() {
	defer close(q.done)
	for {
		var t Task
		q.mu.Lock()
		if len(q.pending) != 0 {
			t = q.pending[0]
			q.started++
		}
		q.mu.Unlock()

		if t == nil {
			select {
			case <-q.resume:
				continue
			case <-q.ctx.Done():
			}
			if !q.leftover() {
				return
			}
			continue
		}

		t(q.ctx)

		q.finish.L.Lock()
		q.pending = q.pending[1:]
		q.finished++
		q.finish.Broadcast()
		q.finish.L.Unlock()
	}
}

// leftover tells whether there are tasks that were added before the stop.
func (q *Queue) leftover() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.pending) != 0
}

// Stop ends the queue. The tasks that were added are still run, with a context
// that is done.
func (q *Queue) Stop() {
	q.mu.Lock()
	q.stopped = true
	q.cancel()
	q.mu.Unlock()
	<-q.done
}
