// Package dispatch hands jobs from request handlers to a fixed set of workers,
// higher lanes first.
package dispatch

import (
	"context"
	"errors"
	"log"
	"sync"
)

// ErrClosed is returned by a queue that has been closed.
var ErrClosed = errors.New("dispatch: queue closed")

// Lane is a priority class. Lower numbers are served first.
type Lane int

// The lanes, in the order in which they are served.
const (
	Interactive Lane = iota
	Batch
	Background
	numLanes
)

// Job is a unit of work. While a worker holds a job nobody else touches it.
type Job struct {
	Name     string
	Lane     Lane
	Run      func(context.Context) error
	attempts int
}

// Queue is a multi-lane job queue. All methods may be called concurrently.
type Queue struct {
	maxAttempts int

	mu     sync.Mutex
	lanes  [numLanes][]*Job
	wake   chan struct{} // closed and replaced whenever the queue changes
	closed bool
}

// NewQueue returns an empty queue that gives up on a job after maxAttempts runs.
func NewQueue(maxAttempts int) *Queue {
	return &Queue{maxAttempts: maxAttempts, wake: make(chan struct{})}
}

// broadcastLocked wakes everybody who waits for a change. Caller holds q.mu.
func (q *Queue) broadcastLocked() {
	close(q.wake)
	q.wake = make(chan struct{})
}

// Submit appends a job to its lane.
func (q *Queue) Submit(j *Job) error {
	if j.Lane < 0 || j.Lane >= numLanes {
		return errors.New("dispatch: no such lane")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.lanes[j.Lane] = append(q.lanes[j.Lane], j)
	q.broadcastLocked()
	return nil
}

// take removes the next job. It returns nil if there is none, and ErrClosed if
// there will be none.
func (q *Queue) take() (*Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.lanes {
		if lane := q.lanes[i]; len(lane) > 0 {
			j := lane[0]
			lane[0] = nil
			q.lanes[i] = lane[1:]
			return j, nil
		}
	}
	if q.closed {
		return nil, ErrClosed
	}
	return nil, nil
}

// changed returns a channel that is closed at the next change of the queue.
func (q *Queue) changed() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.wake
}

// Next returns the next job, waiting for one if the queue is empty.
func (q *Queue) Next(ctx context.Context) (*Job, error) {
	for {
		j, err := q.take()
		if j != nil || err != nil {
			return j, err
		}
		select {
		case <-q.changed():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Depth returns the number of jobs queued in a lane.
func (q *Queue) Depth(l Lane) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lanes[l])
}

// Close stops the intake. Jobs already queued are still handed out.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.closed = true
	q.broadcastLocked()
}

// Work runs n workers until the queue is closed and drained or ctx ends.
func (q *Queue) Work(ctx context.Context, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { q.worker(ctx) })
	}
	wg.Wait()
}

func (q *Queue) worker(ctx context.Context) {
	for {
		j, err := q.Next(ctx)
		if err != nil {
			return
		}
		j.attempts++
		if err := j.Run(ctx); err != nil {
			q.retry(j, err)
		}
	}
}

// retry puts a failed job back, one lane lower, unless it has had its share.
func (q *Queue) retry(j *Job, cause error) {
	if j.attempts >= q.maxAttempts {
		log.Printf("dispatch: %s: giving up after %d attempts: %v", j.Name, j.attempts, cause)
		return
	}
	if j.Lane < Background {
		j.Lane++
	}
	if err := q.Submit(j); err != nil {
		log.Printf("dispatch: %s: not retried: %v", j.Name, err)
	}
}
