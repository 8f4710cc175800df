package task

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

var (
	errNotFound      = errors.New("container not created")
	errAlreadyExists = errors.New("container already exists")
)

// Publisher publishes events.
type Publisher interface {
	Publish(ctx context.Context, topic string, event any) error
	Close() error
}

type exit struct {
	Pid    int
	Status int
}

type (
	taskStart struct {
		ContainerID string
		Pid         int
	}
	taskDelete struct {
		ContainerID     string
		Pid, ExitStatus int
	}
	taskExit struct {
		ContainerID string
		Pid         int
		ExitStatus  int
		ExitedAt    time.Time
	}
)

func getTopic(e any) string {
	switch e.(type) {
	case *taskStart:
		return "/tasks/start"
	case *taskDelete:
		return "/tasks/delete"
	case *taskExit:
		return "/tasks/exit"
	}
	return "?"
}

// NewTaskService creates a new instance of a task service
func NewTaskService(ctx context.Context, publisher Publisher, ec chan exit, sd *shutdownService) *service {
	s := &service{
		context:    ctx,
		events:     make(chan any, 128),
		ec:         ec,
		shutdown:   sd,
		containers: make(map[string]*container),
		running:    make(map[int]*container),
	}
	go s.processExits()
	go s.forward(ctx, publisher)

	return s
}

// service is the shim implementation of a remote shim over GRPC
type service struct {
	mu sync.Mutex

	context context.Context
	events  chan any
	ec      chan exit

	containers map[string]*container

	lifecycleMu sync.Mutex
	running     map[int]*container // pid -> running container, guarded by lifecycleMu

	shutdown *shutdownService
}

// Create a new container
func (s *service) Create(ctx context.Context, id, bundle string, start func(context.Context) (int, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.containers[id]; ok {
		return errAlreadyExists
	}
	s.containers[id] = &container{ID: id, Bundle: bundle, exec: start}
	return nil
}

// Start a process
func (s *service) Start(ctx context.Context, id string) (int, error) {
	container, err := s.getContainer(id)
	if err != nil {
		return 0, err
	}
	s.lifecycleMu.Lock()
	pid, err := container.Start(ctx)
	if err != nil {
		s.lifecycleMu.Unlock()
		return 0, err
	}
	s.running[pid] = container
	s.send(&taskStart{ContainerID: id, Pid: pid})
	s.lifecycleMu.Unlock()
	return pid, nil
}

// Delete the initial process and container
func (s *service) Delete(ctx context.Context, id string) (int, error) {
	container, err := s.getContainer(id)
	if err != nil {
		return 0, err
	}
	pid, status, err := container.Delete(ctx)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	if s.containers[id] != container {
		s.mu.Unlock()
		return 0, errNotFound
	}
	delete(s.containers, id)
	s.mu.Unlock()
	s.send(&taskDelete{ContainerID: id, Pid: pid, ExitStatus: status})
	return status, nil
}

// Shutdown the shim service
func (s *service) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	// return out if the shim is still servicing containers
	if len(s.containers) > 0 {
		return nil
	}

	// please make sure that temporary resource has been cleanup or registered
	// for cleanup before calling shutdown
	s.shutdown.Shutdown()
	return nil
}

func (s *service) processExits() {
	for e := range s.ec {
		s.lifecycleMu.Lock()
		c, ok := s.running[e.Pid]
		delete(s.running, e.Pid)
		s.lifecycleMu.Unlock()
		if ok {
			s.handleProcessExit(e, c)
		}
	}
}

func (s *service) send(evt any) {
	select {
	case s.events <- evt:
	case <-s.shutdown.Done():
	}
}

func (s *service) handleProcessExit(e exit, c *container) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setExited(e.Status)
	s.send(&taskExit{
		ContainerID: c.ID,
		Pid:         e.Pid,
		ExitStatus:  e.Status,
		ExitedAt:    time.Now(),
	})
}

func (s *service) forward(ctx context.Context, publisher Publisher) {
	ctx = context.WithoutCancel(ctx)
	defer publisher.Close()

	publish := func(e any) {
		if err := publisher.Publish(ctx, getTopic(e), e); err != nil {
			log.Printf("post event: %v", err)
		}
	}

	for {
		select {
		case e := <-s.events:
			publish(e)
		case <-s.shutdown.Done():
			for {
				select {
				case e := <-s.events:
					publish(e)
				default:
					return
				}
			}
		}
	}
}

func (s *service) getContainer(id string) (*container, error) {
	s.mu.Lock()
	container := s.containers[id]
	s.mu.Unlock()
	if container == nil {
		return nil, errNotFound
	}
	return container, nil
}
