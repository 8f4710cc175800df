// Package transcode runs video transcoding jobs on a fixed number of workers.
package transcode

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// Status is where a job stands.
type Status int

const (
	Unknown Status = iota
	Queued
	Running
	Done
	Failed
	Cancelled
)

func (s Status) String() string {
	return [...]string{"unknown", "queued", "running", "done", "failed", "cancelled"}[s]
}

var (
	ErrNotFound = errors.New("transcode: no such job")
	ErrFinished = errors.New("transcode: job has finished")
	ErrBacklog  = errors.New("transcode: backlog full")
	ErrExists   = errors.New("transcode: job exists")
)

// Encoder does the work of one job.
type Encoder interface {
	Encode(ctx context.Context, source, profile string) error
}

// Job is one source to be encoded with one profile.
type Job struct {
	ID, Source, Profile string
}

type entry struct {
	job    Job
	status Status
	stop   context.CancelFunc
}

// Scheduler owns the jobs.
type Scheduler struct {
	enc     Encoder
	backlog chan string

	mu   sync.Mutex
	jobs map[string]*entry
}

// New returns a scheduler that queues at most n jobs.
func New(enc Encoder, n int) *Scheduler {
	return &Scheduler{enc: enc, backlog: make(chan string, n), jobs: make(map[string]*entry)}
}

// Submit queues a job.
func (s *Scheduler) Submit(j Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.jobs[j.ID]; ok {
		return fmt.Errorf("%w: %s", ErrExists, j.ID)
	}
	select {
	case s.backlog <- j.ID:
	default:
		return ErrBacklog
	}
	s.jobs[j.ID] = &entry{job: j, status: Queued}
	return nil
}

// Run starts the workers and waits for them to end with ctx.
func (s *Scheduler) Run(ctx context.Context, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { s.work(ctx) })
	}
	wg.Wait()
}

func (s *Scheduler) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-s.backlog:
			jctx, cancel := context.WithCancel(ctx)
			if j, ok := s.begin(id, cancel); ok {
				s.finish(id, s.enc.Encode(jctx, j.Source, j.Profile))
			}
			cancel()
		}
	}
}

func (s *Scheduler) begin(id string, stop context.CancelFunc) (Job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.jobs[id]
	if e == nil || e.status != Queued {
		return Job{}, false
	}
	e.status, e.stop = Running, stop
	return e.job, true
}

func (s *Scheduler) finish(id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.jobs[id]
	e.stop = nil
	switch {
	case err == nil:
		e.status = Done
	case errors.Is(err, context.Canceled):
		e.status = Cancelled
	default:
		e.status = Failed
		slog.Error("encode failed", "job", id, "err", err)
	}
}

// Status returns where a job stands.
func (s *Scheduler) Status(id string) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.jobs[id]; ok {
		return e.status
	}
	return Unknown
}

func (s *Scheduler) setStatus(id string, st Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.jobs[id]; ok {
		e.status = st
	}
}

// interrupt stops the encoder of a running job.
func (s *Scheduler) interrupt(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.jobs[id]
	if e.stop == nil {
		return fmt.Errorf("%w: %s", ErrFinished, id)
	}
	e.stop()
	return nil
}

// Cancel takes a job out of the queue or stops it.
func (s *Scheduler) Cancel(id string) error {
	switch st := s.Status(id); st {
	case Unknown:
		return fmt.Errorf("%w: %s", ErrNotFound, id)
	case Queued:
		s.setStatus(id, Cancelled)
		return nil
	case Running:
		return s.interrupt(id)
	default:
		return fmt.Errorf("%w: %s is %v", ErrFinished, id, st)
	}
}
