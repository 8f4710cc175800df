// Package a is the in-process queue of background jobs.
package a

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned by a queue that has been closed and is empty.
var ErrClosed = errors.New("queue: closed")

// Job is a unit of background work.
type Job struct {
	ID   string
	Kind string
	Body []byte
}

// Queue hands jobs to any number of workers in order of arrival.
type Queue struct {
	mu      sync.Mutex
	jobs    []Job
	closed  bool
	changed chan struct{} // closed and replaced at each change
}

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	return &Queue{changed: make(chan struct{})}
}

// announce wakes everybody who waits for a change. q.mu must be held.
func (q *Queue) announce() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// Push adds a job.
func (q *Queue) Push(j Job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.jobs = append(q.jobs, j)
	q.announce()
	return nil
}

// Close refuses further jobs; workers finish those that are queued.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.closed = true
	q.announce()
}

// TryPop takes the oldest job, if there is one.
func (q *Queue) TryPop() (Job, bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		if q.closed {
			return Job{}, false, ErrClosed
		}
		return Job{}, false, nil
	}
	j := q.jobs[0]
	q.jobs[0] = Job{}
	q.jobs = q.jobs[1:]
	return j, true, nil
}

// Changed returns a channel that is closed at the next change of the queue.
func (q *Queue) Changed() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.changed
}

// Pop waits for a job.
func (q *Queue) Pop(ctx context.Context) (Job, error) {
	for {
		j, ok, err := q.TryPop()
		if ok || err != nil {
			return j, err
		}
		select {
		case <-q.Changed():
		case <-ctx.Done():
			return Job{}, ctx.Err()
		}
	}
}

// Len returns the number of jobs that wait.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

// Work runs do for each job until the queue is closed or ctx ends.
func Work(ctx context.Context, q *Queue, do func(context.Context, Job)) error {
	for {
		j, err := q.Pop(ctx)
		switch {
		case errors.Is(err, ErrClosed):
			return nil
		case err != nil:
			return err
		}
		do(ctx, j)
	}
}
