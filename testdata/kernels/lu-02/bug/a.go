package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

type Driver interface {
	Start(ctx context.Context, task string) (id string, err error)
	Wait(ctx context.Context, id string) error
	Exec(ctx context.Context, id string, cmd []string) error
}

// DriverHandle controls one run of a task.
type DriverHandle struct {
	driver Driver
	taskID string
}

func (h *DriverHandle) ExecStreaming(ctx context.Context, cmd []string) error {
	return h.driver.Exec(ctx, h.taskID, cmd)
}

type TaskExecHandler func(ctx context.Context, cmd []string) error

type TaskState struct {
	State     string
	StartedAt time.Time
}

type TaskRunner struct {
	name   string
	driver Driver

	handleLock sync.Mutex
	handle     *DriverHandle

	stateLock sync.RWMutex
	state     TaskState
}

func (tr *TaskRunner) getDriverHandle() *DriverHandle {
	tr.handleLock.Lock()
	defer tr.handleLock.Unlock()
	return tr.handle
}

func (tr *TaskRunner) setDriverHandle(h *DriverHandle) {
	tr.handleLock.Lock()
	defer tr.handleLock.Unlock()
	tr.handle = h
}

func (tr *TaskRunner) clearDriverHandle() { tr.setDriverHandle(nil) }

func (tr *TaskRunner) updateState(state string, started time.Time) {
	tr.stateLock.Lock()
	defer tr.stateLock.Unlock()
	tr.state = TaskState{State: state, StartedAt: started}
}

func (tr *TaskRunner) TaskState() TaskState {
	tr.stateLock.RLock()
	defer tr.stateLock.RUnlock()
	return tr.state
}

// Run runs the task until the context is done, restarting it when it exits.
func (tr *TaskRunner) Run(ctx context.Context) {
	defer tr.updateState("dead", time.Time{})
	for ctx.Err() == nil {
		id, err := tr.driver.Start(ctx, tr.name)
		if err != nil {
			return
		}
		tr.setDriverHandle(&DriverHandle{tr.driver, id})
		tr.updateState("running", time.Now())
		tr.driver.Wait(ctx, id)
		tr.clearDriverHandle()
		tr.updateState("pending", time.Time{})
	}
}

func (tr *TaskRunner) TaskExecHandler() TaskExecHandler {
	return tr.getDriverHandle().ExecStreaming
}

type Allocations struct {
	mu    sync.Mutex
	tasks map[string]*TaskRunner
}

func (a *Allocations) AddTask(ctx context.Context, name string, d Driver) {
	tr := &TaskRunner{name: name, driver: d}
	a.mu.Lock()
	if a.tasks == nil {
		a.tasks = make(map[string]*TaskRunner)
	}
	a.tasks[name] = tr
	a.mu.Unlock()
	go tr.Run(ctx)
}

func (a *Allocations) getTask(name string) *TaskRunner {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tasks[name]
}

// Exec runs a command in the task; called by one goroutine per session.
func (a *Allocations) Exec(ctx context.Context, task string, cmd []string) error {
	if len(cmd) == 0 {
		return errors.New("command is not present")
	}
	tr := a.getTask(task)
	if tr == nil {
		return fmt.Errorf("unknown task name %q", task)
	}
	if tr.TaskState().StartedAt.IsZero() {
		return fmt.Errorf("task %q not started yet", task)
	}
	h := tr.TaskExecHandler()
	if h == nil {
		return fmt.Errorf("task %q is not running", task)
	}
	return h(ctx, cmd)
}
