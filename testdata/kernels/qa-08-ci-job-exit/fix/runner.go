// Package runner executes the steps of a build in sandboxes.
package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// State of a step.
type State string

const (
	StateCreated State = "created"
	StateRunning State = "running"
	StateExited  State = "exited"
	StateFailed  State = "failed"
)

// Errors of the API.
var (
	ErrExists   = errors.New("runner: step exists")
	ErrNotFound = errors.New("runner: no such step")
)

// StepSpec describes a step.
type StepSpec struct {
	ID      string
	Image   string
	Command []string
	Network string
}

// Process is a started sandbox.
type Process interface {
	NetNS() string // stays valid after the exit
	Wait() (exitCode int, err error)
	Kill() error
}

// Runtime starts sandboxes.
type Runtime interface {
	Launch(ctx context.Context, spec StepSpec) (Process, error)
}

// Network connects a sandbox to the network of the build.
type Network interface {
	Attach(ctx context.Context, name, netns string) error
}

// Status is a copy of the state of a step.
type Status struct {
	State    State
	ExitCode int
	Started  time.Time
	Finished time.Time
}

type step struct {
	spec   StepSpec
	status Status
}

// Runner owns the steps of an agent.
type Runner struct {
	runtime Runtime
	network Network
	log     *slog.Logger

	mu    sync.Mutex
	steps map[string]*step
}

// New returns a Runner.
func New(rt Runtime, nw Network, log *slog.Logger) *Runner {
	return &Runner{runtime: rt, network: nw, log: log, steps: make(map[string]*step)}
}

// update changes the status of a step.
func (r *Runner) update(st *step, f func(*Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&st.status)
}

func (r *Runner) reserve(spec StepSpec) (*step, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.steps[spec.ID]; ok {
		return nil, fmt.Errorf("%w: %s", ErrExists, spec.ID)
	}
	st := &step{spec: spec, status: Status{State: StateCreated}}
	r.steps[spec.ID] = st
	return st, nil
}

// Start launches a step and returns when it is connected.
func (r *Runner) Start(ctx context.Context, spec StepSpec) error {
	st, err := r.reserve(spec)
	if err != nil {
		return err
	}
	proc, err := r.runtime.Launch(ctx, spec)
	if err != nil {
		r.update(st, func(s *Status) { s.State = StateFailed })
		return fmt.Errorf("launch %s: %w", spec.ID, err)
	}

	go func() {
		code, err := proc.Wait()
		if err != nil {
			r.log.Error("wait", "step", spec.ID, "err", err)
			code = -1
		}
		r.update(st, func(s *Status) {
			s.State = StateExited
			s.ExitCode = code
			s.Finished = time.Now()
		})
	}()

	if err := r.network.Attach(ctx, spec.Network, proc.NetNS()); err != nil {
		r.log.Warn("step has no network", "step", spec.ID, "err", err)
	}
	r.update(st, func(s *Status) {
		if s.State == StateCreated {
			s.State = StateRunning
		}
		s.Started = time.Now()
	})
	return nil
}

// Status returns the state of a step.
func (r *Runner) Status(id string) (Status, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	st, ok := r.steps[id]
	if !ok {
		return Status{}, ErrNotFound
	}
	return st.status, nil
}

// Wait polls until the step has ended.
func (r *Runner) Wait(ctx context.Context, id string) (Status, error) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := r.Status(id)
		if err != nil || s.State == StateExited || s.State == StateFailed {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-tick.C:
		}
	}
}
