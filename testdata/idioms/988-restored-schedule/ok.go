// Package cron runs jobs at intervals. The list of jobs survives restarts.
package cron

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// ErrExists is returned by Add.
var ErrExists = errors.New("cron: job exists")

// Spec describes a job.
type Spec struct {
	Name  string
	Every time.Duration
	Task  string
}

// Store keeps the specs.
type Store interface {
	Load(ctx context.Context) ([]Spec, error)
	Save(ctx context.Context, s Spec) error
}

type job struct {
	spec Spec
	next time.Time
	busy bool
}

// Scheduler is safe for concurrent use.
type Scheduler struct {
	store Store
	tasks map[string]func(context.Context) error

	mu    sync.Mutex
	jobs  map[string]*job
	order []string
}

// Open restores the schedule and starts to run it. Of records with the same
// name the first one counts; old versions wrote duplicates.
func Open(ctx context.Context, store Store, tasks map[string]func(context.Context) error) (*Scheduler, error) {
	s := &Scheduler{store: store, tasks: tasks, jobs: make(map[string]*job)}
	specs, err := store.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("cron: restore: %w", err)
	}
	for _, spec := range specs {
		if s.Has(spec.Name) || spec.Every <= 0 {
			slog.Warn("job record skipped", "job", spec.Name)
			continue
		}
		s.insert(spec)
	}
	if n := s.Len(); n > 0 {
		// Spread the first runs, so that they do not come all at once.
		s.stagger(30 * time.Second / time.Duration(n))
	}
	go s.run(ctx)
	return s, nil
}

// Has reports whether there is a job of that name.
func (s *Scheduler) Has(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs[name] != nil
}

// Len returns the number of jobs.
func (s *Scheduler) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.jobs)
}

func (s *Scheduler) insert(spec Spec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.insertLocked(spec)
}

func (s *Scheduler) insertLocked(spec Spec) {
	s.jobs[spec.Name] = &job{spec: spec, next: time.Now().Add(spec.Every)}
	s.order = append(s.order, spec.Name)
}

func (s *Scheduler) stagger(step time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := time.Now()
	for _, name := range s.order {
		s.jobs[name].next = at
		at = at.Add(step)
	}
}

// Add saves a new job and schedules it.
func (s *Scheduler) Add(ctx context.Context, spec Spec) error {
	if spec.Every <= 0 {
		return fmt.Errorf("cron: job %s: bad interval", spec.Name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.jobs[spec.Name] != nil {
		return ErrExists
	}
	if err := s.store.Save(ctx, spec); err != nil {
		return err
	}
	s.insertLocked(spec)
	return nil
}

func (s *Scheduler) run(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			s.mu.Lock()
			for _, name := range s.order {
				j := s.jobs[name]
				if !j.busy && !now.Before(j.next) {
					j.busy = true
					j.next = now.Add(j.spec.Every)
					go s.execute(ctx, j)
				}
			}
			s.mu.Unlock()
		}
	}
}

// execute runs a job that has been marked busy.
func (s *Scheduler) execute(ctx context.Context, j *job) {
	if task := s.tasks[j.spec.Task]; task != nil {
		if err := task(ctx); err != nil {
			slog.Error("job failed", "job", j.spec.Name, "err", err)
		}
	}
	s.mu.Lock()
	j.busy = false
	s.mu.Unlock()
}
