// Package scheduler runs jobs with retries.
package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// State of a job.
type State string

const (
	Pending  State = "pending"
	Running  State = "running"
	Done     State = "done"
	Dead     State = "dead"
	Canceled State = "canceled"
)

// ErrNotFound is returned for unknown jobs.
var ErrNotFound = errors.New("scheduler: no such job")

// Job is one unit of work.
type Job struct {
	ID        string
	Kind      string
	State     State
	Attempts  int
	NextRun   time.Time
	LastError string
}

// JobStore is the table of all jobs.
type JobStore struct {
	mu   sync.Mutex
	jobs map[string]Job
}

// NewJobStore returns an empty table.
func NewJobStore() *JobStore { return &JobStore{jobs: make(map[string]Job)} }

// Get returns a copy of a job.
func (s *JobStore) Get(id string) (Job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.jobs[id]
	return j, ok
}

// Put writes a job.
func (s *JobStore) Put(j Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs[j.ID] = j
}

// Update lets f change a job in place.
func (s *JobStore) Update(id string, f func(*Job)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.jobs[id]
	if !ok {
		return ErrNotFound
	}
	f(&j)
	s.jobs[id] = j
	return nil
}

// claimDue marks one due job as running and returns it.
func (s *JobStore) claimDue(now time.Time) (Job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, j := range s.jobs {
		if j.State == Pending && !j.NextRun.After(now) {
			j.State = Running
			s.jobs[id] = j
			return j, true
		}
	}
	return Job{}, false
}

// Handler does the work of a job.
type Handler func(ctx context.Context, j Job) error

// Scheduler polls the table and runs what is due.
type Scheduler struct {
	store       *JobStore
	handler     Handler
	maxAttempts int
	backoff     func(attempt int) time.Duration
}

// New returns a scheduler; a nil backoff doubles from one second.
func New(store *JobStore, h Handler, maxAttempts int, backoff func(int) time.Duration) *Scheduler {
	if backoff == nil {
		backoff = func(n int) time.Duration { return time.Second << min(n, 10) }
	}
	return &Scheduler{store: store, handler: h, maxAttempts: maxAttempts, backoff: backoff}
}

// Submit adds a job that is due at once. Ids are not used again.
func (s *Scheduler) Submit(id, kind string) {
	s.store.Put(Job{ID: id, Kind: kind, State: Pending})
}

// Cancel keeps a job from being run (again).
func (s *Scheduler) Cancel(id string) error {
	return s.store.Update(id, func(j *Job) {
		if j.State == Pending || j.State == Running {
			j.State = Canceled
		}
	})
}

// Start runs n workers until ctx ends.
func (s *Scheduler) Start(ctx context.Context, n int, poll time.Duration) {
	for range n {
		go func() {
			tick := time.NewTicker(poll)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case now := <-tick.C:
					if j, ok := s.store.claimDue(now); ok {
						s.run(ctx, j)
					}
				}
			}
		}()
	}
}

func (s *Scheduler) run(ctx context.Context, j Job) {
	if err := s.handler(ctx, j); err != nil {
		s.onFailure(j.ID, err)
		return
	}
	s.onSuccess(j.ID)
}

func (s *Scheduler) onSuccess(id string) {
	_ = s.store.Update(id, func(j *Job) {
		if j.State == Running {
			j.State = Done
		}
	})
}

func (s *Scheduler) onFailure(id string, cause error) {
	j, ok := s.store.Get(id)
	if !ok || j.State != Running {
		return
	}
	s.noteFailure(&j, cause)
	s.store.Put(j)
	slog.Warn("job failed", "id", id, "attempts", j.Attempts, "err", cause)
}

// noteFailure counts an attempt and decides whether there is another one.
func (s *Scheduler) noteFailure(j *Job, cause error) {
	j.Attempts++
	j.LastError = cause.Error()
	if j.Attempts >= s.maxAttempts {
		j.State = Dead
		return
	}
	j.State = Pending
	j.NextRun = time.Now().Add(s.backoff(j.Attempts))
}
