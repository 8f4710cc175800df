// Package task runs containers and publishes what happens to them.
package task

import (
	"context"
	"fmt"
	"sync"
)

// Publisher takes the events.
type Publisher interface {
	Publish(topic, containerID string)
}

// service is safe for concurrent use.
type service struct {
	runtime   Runtime
	publisher Publisher
	events    chan func()

	mu         sync.Mutex
	containers map[string]*Container
}

// NewTaskService returns a service.
func NewTaskService(r Runtime, p Publisher) *service {
	s := &service{
		runtime:    r,
		publisher:  p,
		events:     make(chan func(), 128),
		containers: make(map[string]*Container),
	}
	go s.forward()
	return s
}

// Create creates a container and its paused process.
func (s *service) Create(ctx context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.containers[id]; ok {
		return fmt.Errorf("container %s already exists", id)
	}
	cg, err := s.runtime.Create(ctx, id)
	if err != nil {
		return err
	}
	container := &Container{ID: id, cgroup: cg}
	s.containers[id] = container
	s.send("/tasks/create", id)
	return nil
}

// Start starts the process of a container.
func (s *service) Start(ctx context.Context, id string) (int, error) {
	container, err := s.getContainer(id)
	if err != nil {
		return 0, err
	}
	pid, err := s.runtime.Start(ctx, id)
	if err != nil {
		return 0, err
	}
	container.OOMWatch(s.oomEvent)
	s.send("/tasks/start", id)
	return pid, nil
}

// Delete deletes a container.
func (s *service) Delete(id string) error {
	s.mu.Lock()
	container, ok := s.containers[id]
	delete(s.containers, id)
	s.mu.Unlock()
	if !ok {
		return fmt.Errorf("container %s not found", id)
	}
	container.cgroup.Delete()
	s.send("/tasks/delete", id)
	return nil
}

func (s *service) getContainer(id string) (*Container, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	container, ok := s.containers[id]
	if !ok {
		return nil, fmt.Errorf("container %s not found", id)
	}
	return container, nil
}

func (s *service) oomEvent(id string) { s.send("/tasks/oom", id) }

func (s *service) send(topic, id string) {
	s.events <- func() { s.publisher.Publish(topic, id) }
}

func (s *service) forward() {
	for e := range s.events {
		e()
	}
}
