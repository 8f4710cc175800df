package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"
)

var errNotFound = errors.New("not found")

type Task interface {
	Kill(ctx context.Context, sig syscall.Signal) error
	Wait() (exitCode int)
}

type containerState int

const (
	stateCreated containerState = iota
	stateRunning
	stateExited
)

// status is shared by all copies of a Container.
type status struct {
	mu       sync.RWMutex
	state    containerState
	exitCode int
}

func (s *status) Get() containerState {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state
}

func (s *status) set(st containerState, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.exitCode = st, code
}

type Container struct {
	ID         string
	StopSignal syscall.Signal
	Task       Task
	Status     *status
	StopCh     chan struct{}
}

func newContainer(id string, sig syscall.Signal, task Task) Container {
	return Container{
		ID:         id,
		StopSignal: sig,
		Task:       task,
		Status:     &status{},
		StopCh:     make(chan struct{}),
	}
}

type containerStore struct {
	mu         sync.RWMutex
	containers map[string]Container
}

func (s *containerStore) Add(c Container) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.containers[c.ID] = c
}

func (s *containerStore) Get(id string) (Container, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, ok := s.containers[id]
	if !ok {
		return Container{}, errNotFound
	}
	return c, nil
}

type criService struct{ store *containerStore }

func NewService() *criService {
	return &criService{&containerStore{containers: map[string]Container{}}}
}

func (c *criService) StartContainer(id string, sig syscall.Signal, task Task) {
	cntr := newContainer(id, sig, task)
	cntr.Status.set(stateRunning, 0)
	c.store.Add(cntr)
	go c.exitMonitor(cntr)
}

func (c *criService) exitMonitor(cntr Container) {
	code := cntr.Task.Wait()
	cntr.Status.set(stateExited, code)
	close(cntr.StopCh)
}

// StopContainer is called for each request; the kubelet retries those that time out.
func (c *criService) StopContainer(ctx context.Context, id string, timeout time.Duration) error {
	cntr, err := c.store.Get(id)
	if err != nil {
		return fmt.Errorf("find container %q: %w", id, err)
	}
	return c.stopContainer(ctx, cntr, timeout)
}

// stopContainer asks the container to terminate: the stop signal is sent once and,
// when the timeout has passed, SIGKILL.
func (c *criService) stopContainer(ctx context.Context, cntr Container, timeout time.Duration) error {
	if cntr.Status.Get() != stateRunning {
		return nil
	}
	if timeout > 0 {
		if err := cntr.Task.Kill(ctx, cntr.StopSignal); err != nil && !errors.Is(err, errNotFound) {
			return fmt.Errorf("stop container %q: %w", cntr.ID, err)
		}
		termCtx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		if c.waitContainerStop(termCtx, cntr) == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err := cntr.Task.Kill(ctx, syscall.SIGKILL); err != nil && !errors.Is(err, errNotFound) {
		return fmt.Errorf("kill container %q: %w", cntr.ID, err)
	}
	return c.waitContainerStop(ctx, cntr)
}

func (c *criService) waitContainerStop(ctx context.Context, cntr Container) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-cntr.StopCh:
		return nil
	}
}
