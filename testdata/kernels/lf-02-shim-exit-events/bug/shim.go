package v2

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"
)

const (
	shutdownTimeout = 3 * time.Second
	cleanupTimeout  = 5 * time.Second
)

var errNotFound = errors.New("not found")

// Exit information of a task.
type Exit struct {
	Pid       uint32
	Status    uint32
	Timestamp time.Time
}

// Task is a running task of the runtime.
type Task interface {
	ID() string
	Namespace() string
	Delete(ctx context.Context) (*Exit, error)
}

// taskService is the ttrpc service that a shim offers.
type taskService interface {
	Create(ctx context.Context, id, bundle string) (uint32, error)
	Delete(ctx context.Context, id string) (*Exit, error)
	Shutdown(ctx context.Context, id string) error
}

// Bundle represents an OCI bundle.
type Bundle struct {
	ID        string
	Path      string
	Namespace string
}

// NewBundle returns a new bundle on disk
func NewBundle(state, ns, id string) (*Bundle, error) {
	b := &Bundle{
		ID:        id,
		Path:      filepath.Join(state, ns, id),
		Namespace: ns,
	}
	if err := os.MkdirAll(filepath.Dir(b.Path), 0711); err != nil {
		return nil, err
	}
	if err := os.Mkdir(b.Path, 0711); err != nil {
		return nil, err
	}
	return b, nil
}

// Delete a bundle atomically.
func (b *Bundle) Delete() error {
	tmp := b.Path + ".removing"
	if err := os.Rename(b.Path, tmp); err != nil {
		return err
	}
	return os.RemoveAll(tmp)
}

// binary calls the shim binary.
type binary struct {
	runtime string
	bundle  *Bundle
	delete  func(ctx context.Context, bundle *Bundle) (*Exit, error)
}

func (b *binary) Delete(ctx context.Context) (*Exit, error) {
	return b.delete(ctx, b.bundle)
}

func cleanupAfterDeadShim(ctx context.Context, id, ns string, rt *TaskList, events *Exchange, binaryCall *binary) {
	ctx, cancel := context.WithTimeout(ctx, cleanupTimeout)
	defer cancel()

	log.Printf("cleaning up after shim disconnected id=%s namespace=%s", id, ns)
	response, err := binaryCall.Delete(ctx)
	if err != nil {
		log.Printf("failed to clean up after shim disconnected id=%s: %v", id, err)
	}

	if _, err := rt.Get(id); err != nil {
		// Task was never started or was already successfully deleted
		// No need to publish events
		return
	}

	var (
		pid        uint32
		exitStatus uint32
		exitedAt   time.Time
	)
	if response != nil {
		pid = response.Pid
		exitStatus = response.Status
		exitedAt = response.Timestamp
	} else {
		exitStatus = 255
		exitedAt = time.Now()
	}
	events.Publish(TaskExitEventTopic, &TaskEvent{
		ContainerID: id,
		Pid:         pid,
		ExitStatus:  exitStatus,
		ExitedAt:    exitedAt,
	})

	events.Publish(TaskDeleteEventTopic, &TaskEvent{
		ContainerID: id,
		Pid:         pid,
		ExitStatus:  exitStatus,
		ExitedAt:    exitedAt,
	})
}

type shim struct {
	bundle  *Bundle
	client  *client
	task    taskService
	taskPid int
	events  *Exchange
	rtTasks *TaskList
}

func (s *shim) Shutdown(ctx context.Context) error {
	err := s.task.Shutdown(ctx, s.ID())
	if err != nil && !errors.Is(err, errClosed) {
		return err
	}
	return nil
}

func (s *shim) waitShutdown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
	defer cancel()
	return s.Shutdown(ctx)
}

// ID of the shim/task
func (s *shim) ID() string {
	return s.bundle.ID
}

// PID of the task
func (s *shim) PID() uint32 {
	return uint32(s.taskPid)
}

func (s *shim) Namespace() string {
	return s.bundle.Namespace
}

func (s *shim) Close() error {
	return s.client.Close()
}

func (s *shim) Delete(ctx context.Context) (*Exit, error) {
	response, shimErr := s.task.Delete(ctx, s.ID())
	if shimErr != nil {
		log.Printf("failed to delete task id=%s: %v", s.ID(), shimErr)
		if !errors.Is(shimErr, errClosed) {
			if !errors.Is(shimErr, errNotFound) {
				return nil, shimErr
			}
		}
	}
	if err := s.waitShutdown(ctx); err != nil {
		log.Printf("failed to shutdown shim id=%s: %v", s.ID(), err)
	}
	s.Close()
	s.client.UserOnCloseWait(ctx)

	// remove self from the runtime task list
	// this seems dirty but it cleans up the API across runtimes, tasks, and the service
	s.rtTasks.Delete(s.ID())
	if err := s.bundle.Delete(); err != nil {
		log.Printf("failed to delete bundle id=%s: %v", s.ID(), err)
	}
	if shimErr != nil {
		return nil, shimErr
	}
	return &Exit{
		Status:    response.Status,
		Timestamp: response.Timestamp,
		Pid:       response.Pid,
	}, nil
}

func (s *shim) Create(ctx context.Context) error {
	pid, err := s.task.Create(ctx, s.ID(), s.bundle.Path)
	if err != nil {
		return fmt.Errorf("create task %s: %w", s.ID(), err)
	}
	s.taskPid = int(pid)
	return nil
}
