package runner

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// ErrNotFound is returned for an unknown job.
var ErrNotFound = errors.New("runner: no such job")

// Status of a job.
type Status int

// The states.
const (
	Queued Status = iota
	Running
	Succeeded
	Failed
	Canceled
)

// Job is a build job.
type Job struct {
	ID       int64
	Priority int
	Status   Status
	Runner   string
	Queued   time.Time
	cancel   context.CancelFunc
}

// Queue holds the jobs.
type Queue struct {
	mu     sync.Mutex
	nextID int64
	jobs   map[int64]*Job
}

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{jobs: make(map[int64]*Job)} }

// Add queues a job.
func (q *Queue) Add(priority int) int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.nextID++
	q.jobs[q.nextID] = &Job{ID: q.nextID, Priority: priority, Queued: time.Now()}
	return q.nextID
}

// candidates returns copies of the queued jobs, most urgent first.
func (q *Queue) candidates() []Job {
	q.mu.Lock()
	var out []Job
	for _, j := range q.jobs {
		if j.Status == Queued {
			out = append(out, *j)
		}
	}
	q.mu.Unlock()
	slices.SortFunc(out, func(a, b Job) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (q *Queue) transition(id int64, from, to Status, change func(*Job)) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	j, ok := q.jobs[id]
	if !ok || j.Status != from {
		return false
	}
	j.Status = to
	if change != nil {
		change(j)
	}
	return true
}

// Cancel ends a job that is not finished.
func (q *Queue) Cancel(id int64) error {
	if q.transition(id, Queued, Canceled, nil) {
		return nil
	}
	if q.transition(id, Running, Canceled, func(j *Job) { j.cancel() }) {
		return nil
	}
	return ErrNotFound
}

// Executor runs the steps of a job.
type Executor interface {
	CanRun(j Job) bool
	Execute(ctx context.Context, j Job) error
}

// Runner takes jobs from a queue, one at a time.
type Runner struct {
	name string
	q    *Queue
	ex   Executor
}

// StartRunner starts a runner that works until ctx is done.
func StartRunner(ctx context.Context, name string, q *Queue, ex Executor, poll time.Duration) {
	r := &Runner{name: name, q: q, ex: ex}
	go func() {
		for ctx.Err() == nil {
			if r.runOne(ctx) {
				continue
			}
			select {
			case <-time.After(poll):
			case <-ctx.Done():
			}
		}
	}()
}

func (r *Runner) runOne(ctx context.Context) bool {
	for _, job := range r.q.candidates() {
		if !r.ex.CanRun(job) {
			continue
		}
		jctx, cancel := context.WithCancel(ctx)
		claimed := r.q.transition(job.ID, Queued, Running, func(j *Job) {
			j.Runner = r.name
			j.cancel = cancel
		})
		if !claimed {
			cancel()
			continue
		}
		r.execute(jctx, job)
		cancel()
		return true
	}
	return false
}

func (r *Runner) execute(ctx context.Context, job Job) {
	err := r.ex.Execute(ctx, job)
	end := Succeeded
	if err != nil {
		end = Failed
		slog.Warn("runner: job failed", "job", job.ID, "runner", r.name, "err", err)
	}
	r.q.transition(job.ID, Running, end, nil)
}
