// Package jobs runs jobs on a pool of workers and tries failed ones again.
package jobs

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrStopped is returned by Submit when the scheduler has stopped.
var ErrStopped = errors.New("jobs: scheduler stopped")

// State is where a job is.
type State string

// The states of a job.
const (
	Queued  State = "queued"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Job is a unit of work. At any time it is either in the queue, or with one
// worker, or in a retry timer, or finished.
type Job struct {
	ID   string
	Work func(ctx context.Context) error

	mu       sync.Mutex // for those who ask for the status
	state    State
	attempts int
	lastErr  error
}

// Status returns the state of the job and how often it was tried.
func (j *Job) Status() (State, int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state, j.attempts, j.lastErr
}

// Attempts returns how often the job was tried.
func (j *Job) Attempts() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.attempts
}

// setRunning notes that attempt number n has begun.
func (j *Job) setRunning(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.state, j.attempts = Running, n
}

// setOutcome notes how an attempt ended.
func (j *Job) setOutcome(s State, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.state, j.lastErr = s, err
}

// Scheduler runs jobs.
type Scheduler struct {
	tries   int
	backoff time.Duration
	queue   chan *Job
	ctx     context.Context
	stop    context.CancelFunc
	workers sync.WaitGroup
}

// New starts a Scheduler with n workers that tries a job so many times.
func New(n, tries int, backoff time.Duration) *Scheduler {
	ctx, stop := context.WithCancel(context.Background())
	s := &Scheduler{tries: tries, backoff: backoff, queue: make(chan *Job), ctx: ctx, stop: stop}
	for range n {
		s.workers.Go(s.work)
	}
	return s
}

// Submit makes a job and waits until a worker has taken it.
func (s *Scheduler) Submit(id string, work func(context.Context) error) (*Job, error) {
	j := &Job{ID: id, Work: work, state: Queued}
	if !s.enqueue(j) {
		return nil, ErrStopped
	}
	return j, nil
}

// enqueue hands j to a worker.
func (s *Scheduler) enqueue(j *Job) bool {
	select {
	case s.queue <- j:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// work is the loop of a worker.
func (s *Scheduler) work() {
	for {
		select {
		case j := <-s.queue:
			s.attempt(j)
		case <-s.ctx.Done():
			return
		}
	}
}

// attempt tries j once. A job that fails comes back after a while, unless it
// has been tried often enough.
func (s *Scheduler) attempt(j *Job) {
	j.setRunning(j.Attempts() + 1)
	err := j.Work(s.ctx)
	if err == nil {
		j.setOutcome(Done, nil)
		return
	}
	n := j.Attempts()
	if n >= s.tries || s.ctx.Err() != nil {
		j.setOutcome(Failed, err)
		return
	}
	j.setOutcome(Queued, err)
	time.AfterFunc(s.backoff*time.Duration(n), func() {
		if !s.enqueue(j) {
			j.setOutcome(Failed, ErrStopped)
		}
	})
}

// Stop ends the attempts under way and waits for the workers.
func (s *Scheduler) Stop() {
	s.stop()
	s.workers.Wait()
}
