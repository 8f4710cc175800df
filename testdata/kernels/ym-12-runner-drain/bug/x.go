// Package bug runs jobs that may bring forth further jobs.
package bug

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var ErrClosed = errors.New("runner: closed")

// Job does its work and returns the jobs that follow from it.
type Job func(ctx context.Context) ([]Job, error)

type Report struct {
	Done   int
	Errors []error
}

type Runner struct {
	running atomic.Int64

	mu       sync.Mutex
	cond     *sync.Cond
	queue    *list.List
	draining bool
	closed   bool
	report   Report
}

func NewRunner(ctx context.Context, workers int) *Runner {
	r := &Runner{queue: list.New()}
	r.cond = sync.NewCond(&r.mu)
	for range workers {
		go r.work(ctx)
	}
	return r
}

func (r *Runner) Submit(j Job) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining || r.closed {
		return ErrClosed
	}
	r.queue.PushBack(j)
	r.cond.Signal()
	return nil
}

func (r *Runner) take() (Job, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.queue.Len() == 0 && !r.closed {
		r.cond.Wait()
	}
	if r.closed {
		return nil, false
	}
	return r.queue.Remove(r.queue.Front()).(Job), true
}

func (r *Runner) work(ctx context.Context) {
	for {
		j, ok := r.take()
		if !ok {
			return
		}
		r.running.Add(1)
		more, err := j(ctx)
		r.settle(more, err)
		r.running.Add(-1)
	}
}

// settle enters the outcome of a job.
func (r *Runner) settle(more []Job, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Done++
	if err != nil {
		r.report.Errors = append(r.report.Errors, err)
	}
	for _, j := range more {
		r.queue.PushBack(j)
		r.cond.Signal()
	}
}

// Backlog returns how many jobs wait for a worker.
func (r *Runner) Backlog() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queue.Len()
}

func (r *Runner) quiet() bool {
	return r.Backlog() == 0 && r.running.Load() == 0
}

// Drain takes no more jobs from outside, lets all that are in the runner and
// all that follow from them come to an end, and closes the runner.
func (r *Runner) Drain(ctx context.Context) (Report, error) {
	r.mu.Lock()
	r.draining = true
	r.mu.Unlock()

	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !r.quiet() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return r.close(), ctx.Err()
		}
	}
	return r.close(), nil
}

func (r *Runner) close() Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.cond.Broadcast()
	return Report{Done: r.report.Done, Errors: append([]error(nil), r.report.Errors...)}
}
