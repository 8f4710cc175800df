package jobs

import (
	"context"
	"errors"
	"sync"
	"time"
)

var ErrNotRunning = errors.New("jobs: job is not running")

// Job is one unit of a batch.
type Job struct {
	ID       string
	Batch    string
	Payload  []byte
	Attempts int
}

// Letter is a job that was given up.
type Letter struct {
	Job   Job
	Cause string
}

// Summary is the state of a batch.
type Summary struct {
	Open int // waiting or running
	Dead int
}

// Queue hands jobs to workers, repeats failed ones and buries hopeless ones.
type Queue struct {
	maxAttempts int

	mu      sync.Mutex
	waiting []Job
	running map[string]Job
	dead    []Letter
}

func NewQueue(maxAttempts int) *Queue {
	return &Queue{maxAttempts: maxAttempts, running: make(map[string]Job)}
}

// Submit adds the jobs of a batch.
func (q *Queue) Submit(jobs ...Job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, jobs...)
}

// Next gives a worker something to do.
func (q *Queue) Next() (Job, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return Job{}, false
	}
	j := q.waiting[0]
	q.waiting = q.waiting[1:]
	q.running[j.ID] = j
	return j, true
}

// Done ends a job that succeeded.
func (q *Queue) Done(id string) error {
	_, err := q.release(id)
	return err
}

// Fail repeats the job or, after too many attempts, buries it.
func (q *Queue) Fail(id string, cause error) error {
	j, err := q.release(id)
	if err != nil {
		return err
	}
	j.Attempts++
	if j.Attempts < q.maxAttempts {
		q.Submit(j)
		return nil
	}
	q.bury(j, cause)
	return nil
}

func (q *Queue) release(id string) (Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j, ok := q.running[id]
	if !ok {
		return Job{}, ErrNotRunning
	}
	delete(q.running, id)
	return j, nil
}

func (q *Queue) bury(j Job, cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dead = append(q.dead, Letter{Job: j, Cause: cause.Error()})
}

// Summary counts the jobs of a batch.
func (q *Queue) Summary(batch string) Summary {
	q.mu.Lock()
	defer q.mu.Unlock()
	var s Summary
	for _, j := range q.waiting {
		if j.Batch == batch {
			s.Open++
		}
	}
	for _, j := range q.running {
		if j.Batch == batch {
			s.Open++
		}
	}
	for _, l := range q.dead {
		if l.Job.Batch == batch {
			s.Dead++
		}
	}
	return s
}

// Await returns when the batch has ended. Importers commit their import if
// all jobs of the batch were successful.
func (q *Queue) Await(ctx context.Context, batch string) (ok bool, err error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if s := q.Summary(batch); s.Open == 0 {
			return s.Dead == 0, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// Work runs n workers until ctx ends.
func (q *Queue) Work(ctx context.Context, n int, do func(context.Context, Job) error) {
	for range n {
		go func() {
			for ctx.Err() == nil {
				j, ok := q.Next()
				if !ok {
					time.Sleep(20 * time.Millisecond)
					continue
				}
				if err := do(ctx, j); err != nil {
					_ = q.Fail(j.ID, err)
					continue
				}
				_ = q.Done(j.ID)
			}
		}()
	}
}
