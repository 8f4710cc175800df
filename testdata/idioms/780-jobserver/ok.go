// Package jobserver runs background jobs with handlers that are registered
// before the server starts.
package jobserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrStarted = errors.New("jobserver: server has been started")
	ErrKind    = errors.New("jobserver: no handler for this kind of job")
)

// Job is something to do.
type Job struct {
	ID      string
	Kind    string
	Payload []byte
}

// Handler does jobs of one kind.
type Handler func(ctx context.Context, j Job) error

// Policy says how often and how fast a failed job is tried again.
type Policy struct {
	Attempts int
	Backoff  time.Duration
}

// Server dispatches jobs.
type Server struct {
	queue  chan Job
	failed atomic.Int64

	mu       sync.Mutex
	started  bool
	handlers map[string]Handler
	policies map[string]Policy
}

// NewServer returns a server with a queue of the given size.
func NewServer(size int) *Server {
	return &Server{
		queue:    make(chan Job, size),
		handlers: make(map[string]Handler),
		policies: make(map[string]Policy),
	}
}

// Register sets the handler for a kind of job. It fails once the server has
// been started.
func (s *Server) Register(kind string, h Handler, p Policy) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return ErrStarted
	}
	s.handlers[kind] = h
	s.policies[kind] = p
	return nil
}

// Submit queues a job.
func (s *Server) Submit(ctx context.Context, j Job) error {
	select {
	case s.queue <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Start runs the server with the given number of workers. The function it
// returns waits for the workers, which end with ctx.
func (s *Server) Start(ctx context.Context, workers int) (wait func(), err error) {
	s.mu.Lock()
	if s.started {
		s.mu.Unlock()
		return nil, ErrStarted
	}
	s.started = true
	s.mu.Unlock()

	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.work(ctx)
		}()
	}
	return wg.Wait, nil
}

func (s *Server) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-s.queue:
			if err := s.run(ctx, j); err != nil {
				s.failed.Add(1)
				slog.Error("job failed", "id", j.ID, "kind", j.Kind, "err", err)
			}
		}
	}
}

func (s *Server) policy(kind string) Policy {
	p := s.policies[kind]
	p.Attempts = max(p.Attempts, 1)
	return p
}

func (s *Server) run(ctx context.Context, j Job) error {
	if _, ok := s.handlers[j.Kind]; !ok {
		return fmt.Errorf("%w: %s", ErrKind, j.Kind)
	}
	p := s.policy(j.Kind)
	var err error
	for n := range p.Attempts {
		if n > 0 {
			select {
			case <-time.After(p.Backoff << (n - 1)):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err = s.handlers[j.Kind](ctx, j); err == nil {
			return nil
		}
	}
	return err
}

// Failed counts the jobs that failed for good.
func (s *Server) Failed() int64 { return s.failed.Load() }
