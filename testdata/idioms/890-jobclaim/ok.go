// Package render schedules video rendering jobs on a few workers.
package render

import (
	"errors"
	"sync"
)

// State is where a job is in its life.
type State int

// The states of a job.
const (
	Pending State = iota
	Running
	Done
	Failed
	Cancelled
)

// ErrState is returned when a job is in the wrong state for a request.
var ErrState = errors.New("render: job is not in that state")

// Job is one rendering job.
type Job struct {
	ID       string
	Source   string
	State    State
	Attempts int
	Output   string
}

const maxAttempts = 3

// Queue holds all jobs. It is safe for concurrent use.
type Queue struct {
	mu      sync.Mutex
	ready   *sync.Cond
	jobs    map[string]*Job
	pending []string
	closed  bool
}

// Start returns a queue with the given number of workers, which run render.
func Start(workers int, render func(source string) (output string, err error)) *Queue {
	q := &Queue{jobs: make(map[string]*Job)}
	q.ready = sync.NewCond(&q.mu)
	for range workers {
		go q.work(render)
	}
	return q
}

// Submit adds a job. Submitting an ID again has no effect, nor has a job that
// comes after Close.
func (q *Queue) Submit(id, source string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.jobs[id]; ok || q.closed {
		return
	}
	q.jobs[id] = &Job{ID: id, Source: source}
	q.enqueue(id)
}

func (q *Queue) enqueue(id string) {
	q.pending = append(q.pending, id)
	q.ready.Signal()
}

// Cancel withdraws a job that no worker has begun.
func (q *Queue) Cancel(id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[id]
	if j == nil || j.State != Pending {
		return ErrState
	}
	j.State = Cancelled
	return nil
}

// Job returns the state of a job.
func (q *Queue) Job(id string) (Job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[id]
	if j == nil {
		return Job{}, false
	}
	return *j, true
}

// claim waits for a pending job and makes it the caller's: nobody else changes
// a running job.
func (q *Queue) claim() (id, source string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.pending) == 0 && !q.closed {
			q.ready.Wait()
		}
		if q.closed {
			return "", "", false
		}
		id = q.pending[0]
		q.pending = q.pending[1:]
		if j := q.jobs[id]; j.State == Pending {
			j.State = Running
			j.Attempts++
			return id, j.Source, true
		}
	}
}

// finish records the outcome of a claimed job.
func (q *Queue) finish(id, output string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j := q.jobs[id]
	switch {
	case err == nil:
		j.State, j.Output = Done, output
	case j.Attempts < maxAttempts:
		j.State = Pending
		q.enqueue(id)
	default:
		j.State = Failed
	}
}

func (q *Queue) work(render func(string) (string, error)) {
	for {
		id, source, ok := q.claim()
		if !ok {
			return
		}
		output, err := render(source)
		q.finish(id, output, err)
	}
}

// Close lets the workers end after their current jobs.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.ready.Broadcast()
}
