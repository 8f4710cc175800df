// Package jobs is the job table of the workflow engine.
package jobs

import (
	"context"
	"errors"
	"sync"
)

// Errors returned by Table.
var (
	ErrUnknown = errors.New("jobs: no such job")
	ErrRunning = errors.New("jobs: job is running or finished")
)

type state int

const (
	pending state = iota
	running
	finished
	cancelled
)

type job struct {
	state    state
	attempts int
	err      error
	work     func(context.Context) error
}

// Table holds jobs by id.
type Table struct {
	maxAttempts int

	mu   sync.Mutex
	jobs map[string]*job
}

// NewTable returns an empty table. Failed jobs are tried maxAttempts times.
func NewTable(maxAttempts int) *Table {
	return &Table{maxAttempts: maxAttempts, jobs: make(map[string]*job)}
}

// Submit adds a job unless its id is taken.
func (t *Table) Submit(id string, work func(context.Context) error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.jobs[id]; ok {
		return false
	}
	t.jobs[id] = &job{work: work}
	return true
}

// claim picks a pending job.
func (t *Table) claim() (*job, int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, j := range t.jobs {
		if j.state == pending {
			j.state = running
			return j, j.attempts
		}
	}
	return nil, 0
}

// RunOne runs a pending job; it reports false if there is none. Any number of
// workers may call it.
func (t *Table) RunOne(ctx context.Context) bool {
	j, attempts := t.claim()
	if j == nil {
		return false
	}
	err := j.work(ctx)

	t.mu.Lock()
	defer t.mu.Unlock()
	j.attempts = attempts + 1
	j.err = err
	j.state = finished
	if err != nil && j.attempts < t.maxAttempts {
		j.state = pending
	}
	return true
}

// Cancel takes a job back that was not started yet.
func (t *Table) Cancel(id string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	j, ok := t.jobs[id]
	if !ok {
		return ErrUnknown
	}
	if j.state != pending {
		return ErrRunning
	}
	j.state = cancelled
	return nil
}

// Result returns the outcome of a job and whether there is one.
func (t *Table) Result(id string) (err error, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	j := t.jobs[id]
	if j == nil || j.state != finished {
		return nil, false
	}
	return j.err, true
}
