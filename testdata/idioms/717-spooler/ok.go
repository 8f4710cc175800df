// Package spool prints jobs in batches.
package spool

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of the spooler.
var (
	ErrUnknown = errors.New("spool: unknown job")
	ErrTooLate = errors.New("spool: job is being printed")
	ErrClosed  = errors.New("spool: closed")
)

const (
	queued int32 = iota
	printing
	cancelled
	finished
)

// Job is a file to be printed.
type Job struct {
	ID   int64
	File string

	state atomic.Int32
	err   error
	done  chan struct{}
}

// Wait waits for the end of a job.
func (j *Job) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-j.done:
		return j.err
	}
}

func (j *Job) claim(to int32) bool { return j.state.CompareAndSwap(queued, to) }

// finish is called by the goroutine which claimed the job.
func (j *Job) finish(err error) {
	j.err = err
	close(j.done)
}

// Printer prints one file.
type Printer func(ctx context.Context, file string) error

// Spooler has one printer.
type Spooler struct {
	print Printer
	more  chan struct{}

	mu     sync.Mutex
	inbox  []*Job
	jobs   map[int64]*Job
	nextID int64
	closed bool
}

// New returns a spooler; call Run.
func New(p Printer) *Spooler {
	return &Spooler{print: p, more: make(chan struct{}, 1), jobs: make(map[int64]*Job)}
}

// Submit queues a file.
func (s *Spooler) Submit(file string) (*Job, error) {
	j := &Job{File: file, done: make(chan struct{})}
	if err := s.enqueue(j); err != nil {
		return nil, err
	}
	select {
	case s.more <- struct{}{}:
	default:
	}
	return j, nil
}

func (s *Spooler) enqueue(j *Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.nextID++
	j.ID = s.nextID
	s.jobs[j.ID] = j
	s.inbox = append(s.inbox, j)
	return nil
}

func (s *Spooler) job(id int64) (*Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.jobs[id]
	if !ok {
		return nil, ErrUnknown
	}
	return j, nil
}

func (s *Spooler) forget(j *Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.jobs, j.ID)
}

// Cancel stops a job which is not being printed.
func (s *Spooler) Cancel(id int64) error {
	j, err := s.job(id)
	if err != nil {
		return err
	}
	if !j.claim(cancelled) {
		return ErrTooLate
	}
	j.finish(context.Canceled)
	s.forget(j)
	return nil
}

func (s *Spooler) takeAll() []*Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch := s.inbox
	s.inbox = nil
	return batch
}

func (s *Spooler) printOne(ctx context.Context, j *Job) {
	if !j.claim(printing) {
		return
	}
	err := s.print(ctx, j.File)
	j.state.Store(finished)
	j.finish(err)
	s.forget(j)
}

// Run prints until ctx is done and fails what is left then. It is called once.
func (s *Spooler) Run(ctx context.Context) {
	for {
		batch := s.takeAll()
		for _, j := range batch {
			s.printOne(ctx, j)
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			s.shutdown()
			return
		case <-s.more:
		}
	}
}

func (s *Spooler) shutdown() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	for _, j := range s.takeAll() {
		if j.claim(cancelled) {
			j.finish(ErrClosed)
			s.forget(j)
		}
	}
}

// Pending lists the ids of jobs which are not done, in order.
func (s *Spooler) Pending() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.jobs))
}

// CancelAll cancels what it can and returns how many.
func (s *Spooler) CancelAll() (n int) {
	for _, id := range s.Pending() {
		if s.Cancel(id) == nil {
			n++
		}
	}
	return n
}

// Flush waits until the jobs which are there now are done, at most d.
func (s *Spooler) Flush(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for _, id := range s.Pending() {
		j, err := s.job(id)
		if err != nil {
			continue
		}
		if err := j.Wait(ctx); ctx.Err() != nil {
			return err
		}
	}
	return nil
}
