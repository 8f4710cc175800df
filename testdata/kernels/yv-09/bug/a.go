package a

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

type Job struct {
	Name  string
	Every time.Duration
	Run   func(context.Context) error
}

type JobSource interface {
	Jobs(ctx context.Context) ([]Job, error)
}

// Lease announces the terms for which this process leads, numbered upwards.
type Lease interface {
	Acquired() <-chan int64
	Lost() <-chan int64
	Release(term int64)
}

// Scheduler runs the jobs of the cluster while this process holds the lease.
type Scheduler struct {
	src JobSource
	log *slog.Logger

	mu     sync.Mutex
	term   int64 // newest term won
	ended  int64 // newest term lost
	cancel context.CancelFunc
	loops  sync.WaitGroup
}

func NewScheduler(src JobSource, log *slog.Logger) *Scheduler {
	return &Scheduler{src: src, log: log}
}

func (s *Scheduler) stopLocked() {
	if s.cancel == nil {
		return
	}
	s.cancel()
	s.cancel = nil
	s.loops.Wait()
}

// claim notes a new term; false if it is over already.
func (s *Scheduler) claim(term int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if term <= s.term || term <= s.ended {
		return false
	}
	s.term = term
	s.stopLocked()
	return true
}

// Elected starts the jobs for a term.
func (s *Scheduler) Elected(ctx context.Context, term int64) error {
	if !s.claim(term) {
		return nil
	}
	jobs, err := s.src.Jobs(ctx)
	if err != nil {
		return fmt.Errorf("cron: load jobs: %w", err)
	}
	run, cancel := context.WithCancel(ctx)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = cancel
	for _, j := range jobs {
		s.loops.Go(func() { s.loop(run, j) })
	}
	return nil
}

// Demoted stops the jobs when a term ends.
func (s *Scheduler) Demoted(term int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = max(s.ended, term)
	if s.term <= term {
		s.stopLocked()
	}
}

func (s *Scheduler) Leading() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.term > s.ended
}

func (s *Scheduler) loop(ctx context.Context, j Job) {
	t := time.NewTicker(j.Every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := j.Run(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("job failed", "job", j.Name, "err", err)
			}
		}
	}
}

// Follow connects the scheduler to a lease.
func (s *Scheduler) Follow(ctx context.Context, l Lease) {
	go func() {
		for term := range l.Acquired() {
			if err := s.Elected(ctx, term); err != nil {
				s.log.Error("election", "term", term, "err", err)
				l.Release(term)
			}
		}
	}()
	go func() {
		for term := range l.Lost() {
			s.Demoted(term)
		}
	}()
}
