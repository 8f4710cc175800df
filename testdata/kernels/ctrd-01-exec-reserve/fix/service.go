// Package fix serves task requests for the containers of a pod.
package fix

import (
	"errors"
	"fmt"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/ctrd-01-exec-reserve/fix/sandbox"
)

// Errors returned to clients.
var (
	ErrExists   = errors.New("task: already exists")
	ErrNotFound = errors.New("task: not found")
)

// Event is published for every exec.
type Event struct{ Container, Exec string }

// Service is the task service.
type Service struct {
	spawn  sandbox.Spawner
	events chan Event

	mu         sync.Mutex
	containers map[string]*sandbox.Container
}

// New returns a service that publishes into events.
func New(spawn sandbox.Spawner, events chan Event) *Service {
	return &Service{
		spawn:      spawn,
		events:     events,
		containers: make(map[string]*sandbox.Container),
	}
}

// Create adds a container.
func (s *Service) Create(id, bundle string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.containers[id]; ok {
		return fmt.Errorf("container %s: %w", id, ErrExists)
	}
	s.containers[id] = sandbox.NewContainer(id, bundle, s.spawn)
	return nil
}

func (s *Service) container(id string) (*sandbox.Container, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.containers[id]
	if !ok {
		return nil, fmt.Errorf("container %s: %w", id, ErrNotFound)
	}
	return c, nil
}

// Exec runs one more process in a container.
func (s *Service) Exec(id, execID string) (int, error) {
	c, err := s.container(id)
	if err != nil {
		return 0, err
	}
	cancel, ok := c.Reserve(execID)
	if !ok {
		return 0, fmt.Errorf("process %s: %w", execID, ErrExists)
	}
	p, err := c.Exec(execID)
	if err != nil {
		cancel()
		return 0, err
	}
	s.events <- Event{Container: id, Exec: p.ID}
	return p.Pid, nil
}

// Pids returns the processes that were started in a container.
func (s *Service) Pids(id string) ([]int, error) {
	c, err := s.container(id)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, p := range c.All() {
		out = append(out, p.Pid)
	}
	return out, nil
}

// Reap forgets a process that has ended.
func (s *Service) Reap(id, execID string) error {
	c, err := s.container(id)
	if err != nil {
		return err
	}
	c.Remove(execID)
	return nil
}
