// Package jobs runs uploads, transcodes and the like in the background and shows
// their progress.
package jobs

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Phase is the stage that a job has reached.
type Phase string

// The phases.
const (
	Queued  Phase = "queued"
	Running Phase = "running"
	Waiting Phase = "waiting for retry"
	Done    Phase = "done"
	Failed  Phase = "failed"
)

// Progress is a job's state as shown to users.
type Progress struct {
	Phase    Phase
	Attempts int
	LastErr  string
}

// Job is a unit of work. Its progress is changed only by whoever holds the job:
// the submitter, then the worker that has received it from the channel, then the
// retry timer that the worker leaves it to. mu is for the readers' sake.
type Job struct {
	Name string
	run  func(context.Context) error

	mu       sync.Mutex
	progress Progress
}

// Progress returns the present state.
func (j *Job) Progress() Progress {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.progress
}

func (j *Job) setProgress(p Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.progress = p
}

// Runner owns a fixed set of workers. Its methods may be called concurrently.
type Runner struct {
	maxAttempts int
	backoff     time.Duration
	queue       chan *Job
	ctx         context.Context
	workers     sync.WaitGroup

	mu   sync.Mutex
	jobs []*Job // all jobs ever submitted, for List
}

// NewRunner starts a runner that works until ctx ends.
func NewRunner(ctx context.Context, workers, maxAttempts int, backoff time.Duration) *Runner {
	r := &Runner{maxAttempts: maxAttempts, backoff: backoff, queue: make(chan *Job), ctx: ctx}
	for range workers {
		r.workers.Go(r.work)
	}
	return r
}

// Submit hands a job to the workers, waiting for a free one.
func (r *Runner) Submit(ctx context.Context, name string, run func(context.Context) error) (*Job, error) {
	j := &Job{Name: name, run: run, progress: Progress{Phase: Queued}}
	r.mu.Lock()
	r.jobs = append(r.jobs, j)
	r.mu.Unlock()
	if err := r.send(ctx, j); err != nil {
		return j, err
	}
	return j, nil
}

// send passes a job on. If that fails the caller still holds it, and it ends there.
func (r *Runner) send(ctx context.Context, j *Job) error {
	var err error
	select {
	case r.queue <- j:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-r.ctx.Done():
		err = r.ctx.Err()
	}
	p := j.Progress()
	p.Phase, p.LastErr = Failed, err.Error()
	j.setProgress(p)
	return fmt.Errorf("jobs: %s: not queued: %w", j.Name, err)
}

func (r *Runner) work() {
	for {
		select {
		case j := <-r.queue:
			r.runOnce(j)
		case <-r.ctx.Done():
			return
		}
	}
}

// runOnce makes one attempt at a job.
func (r *Runner) runOnce(j *Job) {
	p := j.Progress()
	p.Phase = Running
	j.setProgress(p)

	err := j.run(r.ctx)

	p = j.Progress()
	p.Attempts++
	switch {
	case err == nil:
		p.Phase, p.LastErr = Done, ""
	case p.Attempts >= r.maxAttempts || r.ctx.Err() != nil:
		p.Phase, p.LastErr = Failed, err.Error()
	default:
		p.Phase, p.LastErr = Waiting, err.Error()
	}
	j.setProgress(p)
	if p.Phase == Waiting {
		time.AfterFunc(r.backoff<<(p.Attempts-1), func() { r.requeue(j) })
	}
}

// requeue is called by the retry timer.
func (r *Runner) requeue(j *Job) {
	p := j.Progress()
	p.Phase = Queued
	j.setProgress(p)
	r.send(r.ctx, j) // the job shows the error, if there is one
}

// List returns the progress of all jobs by name, the latest of each name.
func (r *Runner) List() map[string]Progress {
	r.mu.Lock()
	all := r.jobs[:len(r.jobs):len(r.jobs)]
	r.mu.Unlock()
	out := make(map[string]Progress, len(all))
	for _, j := range all {
		out[j.Name] = j.Progress()
	}
	return out
}

// Wait returns when the workers have stopped.
func (r *Runner) Wait() { r.workers.Wait() }
