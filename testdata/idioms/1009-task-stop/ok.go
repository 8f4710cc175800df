// Package task supervises the init processes of containers.
package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// State of a task. It only moves forward.
type State int

// The states.
const (
	Running State = iota
	Exited
)

var (
	// ErrRunning is returned by Delete for a task that still runs.
	ErrRunning = errors.New("task: still running")
	// ErrExists is returned for an id that is in use.
	ErrExists = errors.New("task: already exists")
	// ErrNotFound is returned for an unknown id.
	ErrNotFound = errors.New("task: not found")
)

// Task is one supervised process.
type Task struct {
	id   string
	cmd  *exec.Cmd
	done chan struct{} // closed when the process is gone

	mu    sync.Mutex
	state State
	code  int
}

// State returns the state and, after the end, the exit code.
func (t *Task) State() (State, int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state, t.code
}

func (t *Task) reap() {
	_ = t.cmd.Wait()
	t.mu.Lock()
	t.state = Exited
	t.code = t.cmd.ProcessState.ExitCode()
	t.mu.Unlock()
	close(t.done)
}

func (t *Task) signal(sig os.Signal) error {
	err := t.cmd.Process.Signal(sig)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Stop terminates the process, with force after the grace period. It may be
// called by the API, the health checker and the shutdown at the same time.
func (t *Task) Stop(ctx context.Context, grace time.Duration) error {
	if st, _ := t.State(); st == Exited {
		return nil
	}
	if err := t.signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("task %s: terminate: %w", t.id, err)
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	if err := t.signal(syscall.SIGKILL); err != nil {
		return fmt.Errorf("task %s: kill: %w", t.id, err)
	}
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Manager knows the tasks by id.
type Manager struct {
	mu    sync.Mutex
	tasks map[string]*Task
}

// NewManager returns a manager without tasks.
func NewManager() *Manager { return &Manager{tasks: make(map[string]*Task)} }

// Start runs a command as a new task.
func (m *Manager) Start(id string, cmd *exec.Cmd) (*Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.tasks[id]; ok {
		return nil, ErrExists
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("task %s: %w", id, err)
	}
	t := &Task{id: id, cmd: cmd, done: make(chan struct{})}
	m.tasks[id] = t
	go t.reap()
	return t, nil
}

// Get returns a task. It stays usable when it is deleted.
func (m *Manager) Get(id string) (*Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.tasks[id]
	if !ok {
		return nil, ErrNotFound
	}
	return t, nil
}

// Delete forgets a task that has ended and returns its exit code.
func (m *Manager) Delete(id string) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.tasks[id]
	if !ok {
		return 0, ErrNotFound
	}
	st, code := t.State()
	if st != Exited {
		return 0, ErrRunning
	}
	delete(m.tasks, id)
	return code, nil
}
