// Package cron runs named jobs at fixed intervals.
package cron

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	ErrExists   = errors.New("cron: job exists")
	ErrNotFound = errors.New("cron: no such job")
	ErrInterval = errors.New("cron: interval must be positive")
)

type job struct {
	name  string
	every time.Duration
	fn    func(context.Context)
	next  time.Time // guarded by Scheduler.mu
}

// Scheduler holds the jobs. The admin API adds, changes and removes them while
// it runs.
type Scheduler struct {
	now func() time.Time

	mu   sync.Mutex
	jobs map[string]*job
	wg   sync.WaitGroup
}

// New returns a scheduler without jobs.
func New() *Scheduler {
	return &Scheduler{now: time.Now, jobs: make(map[string]*job)}
}

func (s *Scheduler) newJob(name string, every time.Duration, fn func(context.Context)) *job {
	return &job{name: name, every: every, fn: fn, next: s.now().Add(every)}
}

// Add schedules fn under a new name.
func (s *Scheduler) Add(name string, every time.Duration, fn func(context.Context)) error {
	if every <= 0 {
		return ErrInterval
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.jobs[name]; ok {
		return ErrExists
	}
	s.jobs[name] = s.newJob(name, every, fn)
	return nil
}

// Remove takes a job out of the schedule. A run in progress is not stopped.
func (s *Scheduler) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.jobs[name]; !ok {
		return ErrNotFound
	}
	delete(s.jobs, name)
	return nil
}

// Reschedule changes the interval of a job.
func (s *Scheduler) Reschedule(name string, every time.Duration) error {
	if every <= 0 {
		return ErrInterval
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.jobs[name]
	if !ok {
		return ErrNotFound
	}
	s.jobs[name] = s.newJob(name, every, j.fn)
	return nil
}

// Names lists the scheduled jobs.
func (s *Scheduler) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.jobs))
	for n := range s.jobs {
		names = append(names, n)
	}
	return names
}

// due returns the jobs to start now and moves them to their next time.
func (s *Scheduler) due() []*job {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*job
	for _, j := range s.jobs {
		if j.next.After(now) {
			continue
		}
		out = append(out, j)
		j.next = now.Add(j.every)
	}
	return out
}

// Run starts due jobs until ctx ends, then waits for those still running.
func (s *Scheduler) Run(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			s.wg.Wait()
			return
		case <-t.C:
			for _, j := range s.due() {
				s.wg.Go(func() { j.fn(ctx) })
			}
		}
	}
}
