// Package drain is the job runner of a CI agent.
package drain

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// ErrDraining is returned for jobs offered after Drain was called.
var ErrDraining = errors.New("drain: agent is draining")

// Job is one build.
type Job struct {
	ID  string
	Run func(ctx context.Context, dir string) error
}

// Agent runs jobs in subdirectories of a workspace.
type Agent struct {
	workspace string
	timeout   time.Duration

	draining atomic.Bool
	running  atomic.Int64
}

// New returns an agent that works below workspace.
func New(workspace string, timeout time.Duration) *Agent {
	return &Agent{workspace: workspace, timeout: timeout}
}

// Accept starts the job in the background.
func (a *Agent) Accept(j Job) error {
	a.running.Add(1)
	if a.draining.Load() {
		a.running.Add(-1)
		return ErrDraining
	}
	go a.execute(j)
	return nil
}

func (a *Agent) execute(j Job) {
	defer a.running.Add(-1)
	ctx, cancel := context.WithTimeout(context.Background(), a.timeout)
	defer cancel()
	dir := filepath.Join(a.workspace, j.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Printf("job %s: %v", j.ID, err)
		return
	}
	if err := j.Run(ctx, dir); err != nil {
		log.Printf("job %s: %v", j.ID, err)
	}
}

// Running returns the number of jobs in progress.
func (a *Agent) Running() int64 { return a.running.Load() }

// Drain refuses further jobs, waits for those in progress and removes the
// workspace.
func (a *Agent) Drain(ctx context.Context) error {
	a.draining.Store(true)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for a.running.Load() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return os.RemoveAll(a.workspace)
}

// Handler accepts jobs that build makes from requests.
func (a *Agent) Handler(build func(*http.Request) (Job, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		j, err := build(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := a.Accept(j); err != nil {
			w.Header().Set("Retry-After", "5")
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	})
}
