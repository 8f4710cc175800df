package runners

import (
	"context"
	"sync"
	"time"
)

// State says what a runner does.
type State int

// States of a runner.
const (
	Offline State = iota
	Idle
	Busy
	Draining
)

// Job is a step of a pipeline.
type Job struct {
	ID    string
	Label string
	Run   func(ctx context.Context) error
}

// Runner executes one job at a time.
type Runner struct {
	Name  string
	Label string

	mu      sync.Mutex
	state   State
	current string
	since   time.Time
}

// NewRunner returns a runner which is ready.
func NewRunner(name, label string) *Runner {
	return &Runner{Name: name, Label: label, state: Idle}
}

// State returns what the runner does at the moment.
func (r *Runner) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

func (r *Runner) begin(job string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != Idle {
		return false
	}
	r.state = Busy
	r.current = job
	r.since = time.Now()
	return true
}

func (r *Runner) finish(job string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != job {
		return
	}
	r.current = ""
	if r.state == Draining {
		r.state = Offline
		return
	}
	r.state = Idle
}

// drain stops new work and reports whether the runner is off already.
func (r *Runner) drain() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch r.state {
	case Idle, Offline:
		r.state = Offline
		return true
	default:
		r.state = Draining
		return false
	}
}
