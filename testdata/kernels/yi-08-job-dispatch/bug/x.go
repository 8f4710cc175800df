// Package sched runs jobs; a job id is queued or running once at a time.
package sched

import (
	"context"
	"errors"
	"log"
	"sync"
)

var (
	ErrDuplicate = errors.New("sched: job is queued or running")
	ErrNotFound  = errors.New("sched: no such job")
	ErrStopped   = errors.New("sched: stopped")
)

// Job is a unit of work with an id chosen by the client. Clients submit a job
// again when they do not know whether the first attempt arrived.
type Job struct {
	ID  string
	Run func(context.Context) error
}

// Scheduler keeps a queue and a number of workers.
type Scheduler struct {
	base   context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	wake    *sync.Cond
	pending []Job
	running map[string]context.CancelFunc
	stopped bool
}

// New starts the workers.
func New(workers int) *Scheduler {
	s := &Scheduler{running: make(map[string]context.CancelFunc)}
	s.base, s.cancel = context.WithCancel(context.Background())
	s.wake = sync.NewCond(&s.mu)
	for range workers {
		s.wg.Add(1)
		go s.worker()
	}
	return s
}

// Submit queues a job unless the same id is queued or running.
func (s *Scheduler) Submit(j Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return ErrStopped
	}
	if _, ok := s.running[j.ID]; ok || s.indexLocked(j.ID) >= 0 {
		return ErrDuplicate
	}
	s.pending = append(s.pending, j)
	s.wake.Signal()
	return nil
}

func (s *Scheduler) indexLocked(id string) int {
	for i := range s.pending {
		if s.pending[i].ID == id {
			return i
		}
	}
	return -1
}

// Cancel takes a job out of the queue or cancels its context.
func (s *Scheduler) Cancel(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.indexLocked(id); i >= 0 {
		s.pending = append(s.pending[:i], s.pending[i+1:]...)
		return nil
	}
	if cancel, ok := s.running[id]; ok {
		cancel()
		return nil
	}
	return ErrNotFound
}

// next waits for a job and takes it from the queue.
func (s *Scheduler) next() (Job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pending) == 0 && !s.stopped {
		s.wake.Wait()
	}
	if s.stopped {
		return Job{}, false
	}
	j := s.pending[0]
	s.pending = s.pending[1:]
	return j, true
}

func (s *Scheduler) markRunning(id string, cancel context.CancelFunc) {
	s.mu.Lock()
	s.running[id] = cancel
	s.mu.Unlock()
}

func (s *Scheduler) finish(id string) {
	s.mu.Lock()
	delete(s.running, id)
	s.mu.Unlock()
}

func (s *Scheduler) worker() {
	defer s.wg.Done()
	for {
		j, ok := s.next()
		if !ok {
			return
		}
		ctx, cancel := context.WithCancel(s.base)
		s.markRunning(j.ID, cancel)
		if err := j.Run(ctx); err != nil {
			log.Printf("sched: job %s: %v", j.ID, err)
		}
		s.finish(j.ID)
		cancel()
	}
}

// Stop cancels what runs, drops what is queued and waits for the workers.
func (s *Scheduler) Stop() {
	s.mu.Lock()
	s.stopped = true
	s.pending = nil
	s.wake.Broadcast()
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
}
