// Package fix starts build actions for the tenants of a shared build farm.
package fix

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

var (
	ErrQuota  = errors.New("farm: core quota exceeded")
	ErrClosed = errors.New("farm: scheduler closed")
)

// Action is one build step.
type Action struct {
	Tenant string
	Name   string
	Cores  int
	Run    func(ctx context.Context, dir string) error
}

// Workspaces prepares a directory for an action and clears it again.
type Workspaces interface {
	Prepare(ctx context.Context, a Action) (string, error)
	Discard(dir string)
}

// Scheduler runs actions within the limits of their tenants.
type Scheduler struct {
	limits Limits
	spaces Workspaces

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
	failed  map[string]error
}

func NewScheduler(limits Limits, spaces Workspaces) *Scheduler {
	return &Scheduler{limits: limits, spaces: spaces, failed: make(map[string]error)}
}

// Submit starts an action, or says why it cannot be started.
func (s *Scheduler) Submit(ctx context.Context, a Action) error {
	if err := s.admit(a); err != nil {
		return fmt.Errorf("submit %s: %w", a.Name, err)
	}
	dir, err := s.spaces.Prepare(ctx, a)
	if err != nil {
		s.limits.Give(a.Tenant, a.Cores)
		return fmt.Errorf("submit %s: %w", a.Name, err)
	}
	if err := s.launch(ctx, a, dir); err != nil {
		s.spaces.Discard(dir)
		s.limits.Give(a.Tenant, a.Cores)
		return fmt.Errorf("submit %s: %w", a.Name, err)
	}
	return nil
}

func (s *Scheduler) admit(a Action) error {
	if a.Cores <= 0 {
		return errors.New("action needs at least one core")
	}
	return s.limits.Take(a.Tenant, a.Cores)
}

func (s *Scheduler) launch(ctx context.Context, a Action, dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.running.Add(1)
	go s.run(ctx, a, dir)
	return nil
}

func (s *Scheduler) run(ctx context.Context, a Action, dir string) {
	defer s.running.Done()
	err := a.Run(ctx, dir)
	s.spaces.Discard(dir)
	s.limits.Give(a.Tenant, a.Cores)
	if err != nil {
		s.mu.Lock()
		s.failed[a.Name] = err
		s.mu.Unlock()
	}
}

// Close takes no more actions and waits for those that run.
func (s *Scheduler) Close() map[string]error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.running.Wait()

	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]error, len(s.failed))
	for name, err := range s.failed {
		out[name] = err
	}
	return out
}
