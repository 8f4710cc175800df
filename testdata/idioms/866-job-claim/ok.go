// Package jobs runs the background jobs of a service on a fixed number of
// workers.
package jobs

import (
	"context"
	"errors"
	"sync"
)

var (
	// ErrUnknown is returned for an id without a job.
	ErrUnknown = errors.New("jobs: unknown job")
	// ErrActive is returned by Forget for a job that has not ended.
	ErrActive = errors.New("jobs: job has not ended")
)

// State is the stage of a job.
type State int

// The stages of a job. Done, Failed and Cancelled are final.
const (
	Pending State = iota
	Running
	Done
	Failed
	Cancelled
)

// Func is the work of a job.
type Func func(ctx context.Context) error

// job is one unit of work. A worker that has moved it from Pending to Running
// owns it: no one else moves it on.
type job struct {
	id       uint64
	work     Func
	retries  int
	state    State
	err      error
	cancel   context.CancelFunc // set while running
	canceled bool               // asked to end while running
}

// Runner is safe for concurrent use.
type Runner struct {
	mu     sync.Mutex
	more   *sync.Cond // signalled when ready or closed change
	nextID uint64
	jobs   map[uint64]*job
	ready  []*job
	closed bool

	workers sync.WaitGroup
}

// NewRunner starts a runner with n workers.
func NewRunner(n int) *Runner {
	r := &Runner{jobs: make(map[uint64]*job)}
	r.more = sync.NewCond(&r.mu)
	for range n {
		r.workers.Go(r.worker)
	}
	return r
}

// Submit queues a job that is tried again up to retries times.
func (r *Runner) Submit(work Func, retries int) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nextID++
	j := &job{id: r.nextID, work: work, retries: retries}
	r.jobs[j.id] = j
	r.ready = append(r.ready, j)
	r.more.Signal()
	return j.id
}

// Cancel ends a job. A running job's context is cancelled; the job ends when
// its work returns.
func (r *Runner) Cancel(id uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	j, ok := r.jobs[id]
	if !ok {
		return ErrUnknown
	}
	switch j.state {
	case Pending:
		j.state = Cancelled
	case Running:
		j.canceled = true
		j.cancel()
	}
	return nil
}

// State returns the stage of a job and the error of its last attempt.
func (r *Runner) State(id uint64) (State, error, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j, ok := r.jobs[id]
	if !ok {
		return 0, nil, ErrUnknown
	}
	return j.state, j.err, nil
}

// Forget removes a job that has ended.
func (r *Runner) Forget(id uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	j, ok := r.jobs[id]
	if !ok {
		return ErrUnknown
	}
	if j.state == Pending || j.state == Running {
		return ErrActive
	}
	delete(r.jobs, id)
	return nil
}

// Close waits for the running jobs. Jobs that are still queued stay pending.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.more.Broadcast()
	r.mu.Unlock()
	r.workers.Wait()
}

func (r *Runner) worker() {
	for {
		j, ctx := r.claim()
		if j == nil {
			return
		}
		err := j.work(ctx)
		r.settle(j, err)
	}
}

// claim waits for a pending job and moves it to Running. It returns nil when
// the runner is closed.
func (r *Runner) claim() (*job, context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		for len(r.ready) == 0 && !r.closed {
			r.more.Wait()
		}
		if r.closed {
			return nil, nil
		}
		j := r.ready[0]
		r.ready = r.ready[1:]
		if j.state != Pending {
			continue // cancelled while it was queued
		}
		ctx, cancel := context.WithCancel(context.Background())
		j.state, j.cancel = Running, cancel
		return j, ctx
	}
}

// settle moves a claimed job to its next stage.
func (r *Runner) settle(j *job, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j.cancel()
	j.cancel, j.err = nil, err
	switch {
	case err == nil:
		j.state = Done
	case j.canceled:
		j.state = Cancelled
	case j.retries > 0:
		j.retries--
		j.state = Pending
		r.ready = append(r.ready, j)
		r.more.Signal()
	default:
		j.state = Failed
	}
}
