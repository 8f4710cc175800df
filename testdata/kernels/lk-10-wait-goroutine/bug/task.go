package containerd

import (
	"context"
	"errors"
	"sync"
	"time"
)

const UnknownExitStatus = 255

type Status string

const (
	Created Status = "created"
	Running Status = "running"
	Stopped Status = "stopped"
)

// TaskExit is published when a process of a task has ended.
type TaskExit struct {
	ContainerID string
	Pid         uint32
	ExitStatus  uint32
	ExitedAt    time.Time
}

// Subscription delivers the events that are published after it was made.
type Subscription interface {
	Recv() (TaskExit, error)
}

type EventService interface {
	Subscribe(ctx context.Context, topic string) (Subscription, error)
}

type TaskStatus struct {
	Status     Status
	ExitStatus uint32
	ExitTime   time.Time
}

type TaskService interface {
	Create(ctx context.Context, id string) (pid uint32, err error)
	Start(ctx context.Context, id string) error
	Get(ctx context.Context, id string) (TaskStatus, error)
	Kill(ctx context.Context, id string) error
	Delete(ctx context.Context, id string) (uint32, error)
}

type Client struct {
	tasks  TaskService
	events EventService
}

func (c *Client) NewTask(ctx context.Context, id string) (*Task, error) {
	pid, err := c.tasks.Create(ctx, id)
	if err != nil {
		return nil, err
	}
	return &Task{client: c, id: id, pid: pid}, nil
}

// Task is the executable object within containerd
type Task struct {
	client *Client
	id     string
	pid    uint32

	mu  sync.Mutex
	ios []func() error
}

// Pid returns the pid or process id for the task
func (t *Task) Pid() uint32 {
	return t.pid
}

func (t *Task) Start(ctx context.Context) error {
	return t.client.tasks.Start(ctx, t.id)
}

func (t *Task) Kill(ctx context.Context) error {
	return t.client.tasks.Kill(ctx, t.id)
}

func (t *Task) Status(ctx context.Context) (TaskStatus, error) {
	return t.client.tasks.Get(ctx, t.id)
}

// Wait waits for the task to exit, and returns its exit status. The task has
// to be waited for before it is started.
func (t *Task) Wait(ctx context.Context) (uint32, error) {
	cancellable, cancel := context.WithCancel(ctx)
	defer cancel()
	eventstream, err := t.client.events.Subscribe(cancellable, "/tasks/exit")
	if err != nil {
		return UnknownExitStatus, err
	}
	for {
		e, err := eventstream.Recv()
		if err != nil {
			return UnknownExitStatus, err
		}
		if e.ContainerID == t.id && e.Pid == t.pid {
			return e.ExitStatus, nil
		}
	}
}

// Delete deletes the task, which must be stopped, and its io.
func (t *Task) Delete(ctx context.Context) (uint32, error) {
	status, err := t.Status(ctx)
	if err != nil {
		return UnknownExitStatus, err
	}
	if status.Status == Running {
		return UnknownExitStatus, errors.New("task must be stopped before deletion")
	}
	t.mu.Lock()
	ios := t.ios
	t.ios = nil
	t.mu.Unlock()
	for _, closeIO := range ios {
		closeIO()
	}
	return t.client.tasks.Delete(ctx, t.id)
}
