package a

import (
	"errors"
	"fmt"
	"sync"
)

var (
	errAlreadyExists = errors.New("already exists")
	errNotFound      = errors.New("not found")
)

// Container for operating on a runc container and its processes
type Container struct {
	ID     string
	Bundle string
	pid    int
}

type service struct {
	mu         sync.Mutex
	containers map[string]*Container
	// creating holds the IDs of the creates that are running.
	creating map[string]struct{}

	newContainer func(id, bundle string) (*Container, error)
}

// Create a new container
func (s *service) Create(id, bundle string) (int, error) {
	if err := s.reserve(id); err != nil {
		return 0, err
	}
	container, err := s.newContainer(id, bundle)

	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.creating, id)
	if err != nil {
		return 0, err
	}
	s.containers[id] = container
	return container.pid, nil
}

// reserve claims the ID for a create.
func (s *service) reserve(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.containers[id]; ok {
		return fmt.Errorf("container %s: %w", id, errAlreadyExists)
	}
	if _, ok := s.creating[id]; ok {
		return fmt.Errorf("container %s is being created: %w", id, errAlreadyExists)
	}
	s.creating[id] = struct{}{}
	return nil
}

func (s *service) getContainer(id string) (*Container, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	container := s.containers[id]
	if container == nil {
		return nil, fmt.Errorf("container %s: %w", id, errNotFound)
	}
	return container, nil
}

// State returns the pid of the init process
func (s *service) State(id string) (int, error) {
	container, err := s.getContainer(id)
	if err != nil {
		return 0, err
	}
	return container.pid, nil
}

// Delete removes the container
func (s *service) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.containers[id]; !ok {
		return errNotFound
	}
	delete(s.containers, id)
	return nil
}
