package a

import (
	"context"
	"fmt"
	"sync"
)

type Migration struct {
	ID   string
	Up   func(context.Context) error
	Down func(context.Context) error
}

type Status struct {
	Current int
	Total   int
	Busy    bool
}

type Runner struct {
	gate chan struct{}
	plan []Migration

	mu      sync.RWMutex
	current int
	busy    bool
}

func NewRunner(plan []Migration, current int) *Runner {
	return &Runner{gate: make(chan struct{}, 1), plan: plan, current: current}
}

// enter waits for the turn of this run; leave must be called afterwards.
func (r *Runner) enter(ctx context.Context) error {
	select {
	case r.gate <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	r.setBusy(true)
	return nil
}

func (r *Runner) leave() {
	r.setBusy(false)
	<-r.gate
}

func (r *Runner) setBusy(b bool) {
	r.mu.Lock()
	r.busy = b
	r.mu.Unlock()
}

func (r *Runner) position() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.current
}

func (r *Runner) setPosition(n int) {
	r.mu.Lock()
	r.current = n
	r.mu.Unlock()
}

func (r *Runner) Status() Status {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return Status{Current: r.current, Total: len(r.plan), Busy: r.busy}
}

// MigrateTo goes up or down to the target; safe to call from the CLI and the admin API.
func (r *Runner) MigrateTo(ctx context.Context, target int) error {
	if target < 0 || target > len(r.plan) {
		return fmt.Errorf("migrate: no version %d", target)
	}
	if err := r.enter(ctx); err != nil {
		return err
	}
	defer r.leave()

	pos := r.position()
	for pos < target {
		m := r.plan[pos]
		if err := m.Up(ctx); err != nil {
			return fmt.Errorf("migrate: up %s: %w", m.ID, err)
		}
		pos++
		r.setPosition(pos)
	}
	for pos > target {
		m := r.plan[pos-1]
		if err := m.Down(ctx); err != nil {
			return fmt.Errorf("migrate: down %s: %w", m.ID, err)
		}
		pos--
		r.setPosition(pos)
	}
	return nil
}
