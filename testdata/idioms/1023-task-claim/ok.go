// Package tasks runs queued tasks with retries.
package tasks

import (
	"errors"
	"sync"
)

var (
	ErrClosed   = errors.New("tasks: closed")
	ErrExists   = errors.New("tasks: id in use")
	ErrNotFound = errors.New("tasks: not found")
	ErrStarted  = errors.New("tasks: already started")
)

type state int

const (
	queued state = iota
	running
	succeeded
	failed
	cancelled
)

func (s state) final() bool { return s >= succeeded }

type task struct {
	id       string
	fn       func() error
	state    state
	attempts int
	err      error
}

// Runner owns the tasks and their workers.
type Runner struct {
	maxAttempts int
	workers     sync.WaitGroup

	mu     sync.Mutex
	work   *sync.Cond
	queue  []*task
	byID   map[string]*task
	closed bool
}

// NewRunner starts n workers.
func NewRunner(n, maxAttempts int) *Runner {
	r := &Runner{maxAttempts: maxAttempts, byID: make(map[string]*task)}
	r.work = sync.NewCond(&r.mu)
	for range n {
		r.workers.Add(1)
		go r.worker()
	}
	return r
}

// Add queues a task.
func (r *Runner) Add(id string, fn func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return ErrClosed
	}
	if _, ok := r.byID[id]; ok {
		return ErrExists
	}
	t := &task{id: id, fn: fn}
	r.byID[id] = t
	r.queue = append(r.queue, t)
	r.work.Signal()
	return nil
}

// claim waits for a task and makes it the caller's, who must call finish.
func (r *Runner) claim() *task {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.closed {
		if len(r.queue) == 0 {
			r.work.Wait()
			continue
		}
		t := r.queue[0]
		r.queue = r.queue[1:]
		if t.state == queued {
			t.state = running
			t.attempts++
			return t
		}
	}
	return nil
}

func (r *Runner) finish(t *task, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.err = err
	switch {
	case err == nil:
		t.state = succeeded
	case t.attempts >= r.maxAttempts:
		t.state = failed
	default:
		t.state = queued
		r.queue = append(r.queue, t)
		r.work.Signal()
	}
}

func (r *Runner) worker() {
	defer r.workers.Done()
	for {
		t := r.claim()
		if t == nil {
			return
		}
		err := t.fn()
		r.finish(t, err)
	}
}

// Cancel takes back a task that waits in the queue.
func (r *Runner) Cancel(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.byID[id]
	if !ok {
		return ErrNotFound
	}
	if t.state != queued {
		return ErrStarted
	}
	t.state = cancelled // claim skips it
	return nil
}

// Purge forgets tasks that are over and returns the errors of the failed ones.
func (r *Runner) Purge() map[string]error {
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := make(map[string]error)
	for id, t := range r.byID {
		if !t.state.final() {
			continue
		}
		if t.state == failed {
			errs[id] = t.err
		}
		delete(r.byID, id)
	}
	return errs
}

// Close lets the running tasks end and drops the others.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.work.Broadcast()
	r.workers.Wait()
}
