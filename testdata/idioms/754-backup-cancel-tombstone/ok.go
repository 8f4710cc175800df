// Package backup runs the backups of database volumes one at a time per
// worker; operators can call them off.
package backup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// ErrFinished is returned when a task is over or was never there.
var ErrFinished = errors.New("backup: no such task")

// Task is a backup to take; the ID is a ULID made for it.
type Task struct {
	ID     string
	Volume string
}

// Copier copies a volume to the archive.
type Copier interface {
	Copy(ctx context.Context, volume string) error
}

// registry remembers the tasks that are known and those called off.
type registry struct {
	mu     sync.Mutex
	known  map[string]bool
	called map[string]bool
}

func (r *registry) add(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[id] {
		return false
	}
	r.known[id] = true
	return true
}

func (r *registry) callOff(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.known[id] {
		return false
	}
	r.called[id] = true
	return true
}

func (r *registry) calledOff(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.called[id]
}

func (r *registry) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, id)
	delete(r.called, id)
}

// copies are the tasks at work.
type copies struct {
	mu sync.Mutex
	m  map[string]context.CancelFunc
}

func (c *copies) set(id string, cancel context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[id] = cancel
}

func (c *copies) interrupt(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.m[id]; ok {
		cancel()
	}
}

func (c *copies) unset(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, id)
}

// Service takes backups.
type Service struct {
	copier Copier
	log    *slog.Logger
	tasks  registry
	active copies
	queue  chan Task
}

// New returns a service with room for some waiting tasks.
func New(c Copier, backlog int, log *slog.Logger) *Service {
	return &Service{copier: c, log: log, queue: make(chan Task, backlog),
		tasks:  registry{known: make(map[string]bool), called: make(map[string]bool)},
		active: copies{m: make(map[string]context.CancelFunc)}}
}

// Submit queues a task.
func (s *Service) Submit(ctx context.Context, t Task) error {
	if !s.tasks.add(t.ID) {
		return fmt.Errorf("backup: task %s exists", t.ID)
	}
	select {
	case s.queue <- t:
		return nil
	case <-ctx.Done():
		s.tasks.forget(t.ID)
		return ctx.Err()
	}
}

// CallOff stops a task that waits or runs.
func (s *Service) CallOff(id string) error {
	if !s.tasks.callOff(id) {
		return fmt.Errorf("%w: %s", ErrFinished, id)
	}
	s.active.interrupt(id)
	return nil
}

// Run works on the queue until ctx is done.
func (s *Service) Run(ctx context.Context, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case t := <-s.queue:
					s.take(ctx, t)
				}
			}
		})
	}
	wg.Wait()
}

func (s *Service) take(ctx context.Context, t Task) {
	defer s.tasks.forget(t.ID)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.active.set(t.ID, cancel)
	defer s.active.unset(t.ID)
	if s.tasks.calledOff(t.ID) {
		s.log.Info("backup called off", "task", t.ID)
		return
	}
	if err := s.copier.Copy(ctx, t.Volume); err != nil {
		s.log.Error("backup failed", "task", t.ID, "volume", t.Volume, "err", err)
	}
}
