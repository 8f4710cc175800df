package containerd

import (
	"context"
	"fmt"
	"sync"
)

// UnknownExitStatus is returned when containerd is unable to
// determine the exit status of a process.
const UnknownExitStatus = 255

// ProcessStatus returns a human readable status for the Process
type ProcessStatus string

const (
	// Running indicates the process is currently executing
	Running ProcessStatus = "running"
	// Created indicates the process has been created within containerd but the
	// user's defined process has not started
	Created ProcessStatus = "created"
	// Stopped indicates that the process has ran and exited
	Stopped ProcessStatus = "stopped"
)

// Status returns process status and exit information
type Status struct {
	Status     ProcessStatus
	ExitStatus uint32
}

// TaskExit is the event of the exit of a task.
type TaskExit struct {
	ContainerID string
	Pid         uint32
	ExitStatus  uint32
}

type task struct {
	tasks  *TaskService
	events *Exchange
	id     string
	pid    uint32
}

// Status returns the status of the task.
func (t *task) Status(ctx context.Context) (Status, error) {
	return t.tasks.Get(t.id)
}

// Wait returns the exit status of the task. It may be called at any time.
func (t *task) Wait(ctx context.Context) (uint32, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	eventstream := t.events.Subscribe(ctx)

	// first check if the task has exited
	status, err := t.Status(ctx)
	if err != nil {
		return UnknownExitStatus, err
	}
	if status.Status == Stopped {
		return status.ExitStatus, nil
	}

	for {
		select {
		case e := <-eventstream:
			if e.ContainerID == t.id && e.Pid == t.pid {
				return e.ExitStatus, nil
			}
		case <-ctx.Done():
			return UnknownExitStatus, ctx.Err()
		}
	}
}

// TaskService holds the tasks of the daemon.
type TaskService struct {
	mu     sync.Mutex
	tasks  map[string]Status
	events *Exchange
}

// NewTaskService returns a service without tasks.
func NewTaskService(events *Exchange) *TaskService {
	return &TaskService{tasks: make(map[string]Status), events: events}
}

// Create adds a task.
func (s *TaskService) Create(id string, pid uint32) *task {
	s.mu.Lock()
	s.tasks[id] = Status{Status: Running}
	s.mu.Unlock()
	return &task{tasks: s, events: s.events, id: id, pid: pid}
}

// Get returns the status of a task.
func (s *TaskService) Get(id string) (Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.tasks[id]
	if !ok {
		return Status{}, fmt.Errorf("task %s not found", id)
	}
	return st, nil
}

// exited is called by the goroutine that reaps the processes.
func (s *TaskService) exited(id string, pid, status uint32) {
	s.mu.Lock()
	s.tasks[id] = Status{Status: Stopped, ExitStatus: status}
	s.mu.Unlock()
	s.events.Publish(TaskExit{ContainerID: id, Pid: pid, ExitStatus: status})
}
