package taskrunner

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"
)

const (
	AllocDesiredStatusRun  = "run"
	AllocDesiredStatusStop = "stop"

	AllocClientStatusRunning  = "running"
	AllocClientStatusComplete = "complete"
	AllocClientStatusFailed   = "failed"
)

// Allocation is not modified once it is handed to the task runner.
type Allocation struct {
	ID            string
	DesiredStatus string
	ClientStatus  string
	ModifyIndex   uint64
}

// ServerTerminalStatus returns true if the desired state of the allocation is
// terminal. Terminal states are final.
func (a *Allocation) ServerTerminalStatus() bool {
	return a.DesiredStatus == AllocDesiredStatusStop
}

// ClientTerminalStatus returns if the client status is terminal and will no
// longer transition
func (a *Allocation) ClientTerminalStatus() bool {
	switch a.ClientStatus {
	case AllocClientStatusComplete, AllocClientStatusFailed:
		return true
	}
	return false
}

// TaskPrestartHook is called before the task is started: it prepares the
// network, the secrets and the log collection.
type TaskPrestartHook interface {
	Name() string
	Prestart(ctx context.Context, alloc *Allocation) error
}

// DriverHandle is a running task.
type DriverHandle interface {
	WaitCh() <-chan error
	Kill() error
}

// Driver starts tasks.
type Driver interface {
	StartTask(alloc *Allocation, task string) (DriverHandle, error)
}

// TaskRunner runs one task of an allocation.
type TaskRunner struct {
	taskName string
	poststop bool
	driver   Driver
	hooks    []TaskPrestartHook

	alloc     *Allocation
	allocLock sync.Mutex

	handle     DriverHandle
	handleLock sync.Mutex

	killCtx       context.Context
	killCtxCancel context.CancelFunc
	shutdownCtx   context.Context

	triggerUpdateCh chan struct{}
	waitCh          chan struct{}

	restarts    int
	maxRestarts int
}

// NewTaskRunner returns a runner; the caller starts Run in a goroutine.
func NewTaskRunner(shutdownCtx context.Context, alloc *Allocation, task string, driver Driver, hooks []TaskPrestartHook) *TaskRunner {
	killCtx, cancel := context.WithCancel(context.Background())
	return &TaskRunner{
		taskName:        task,
		driver:          driver,
		hooks:           hooks,
		alloc:           alloc,
		killCtx:         killCtx,
		killCtxCancel:   cancel,
		shutdownCtx:     shutdownCtx,
		triggerUpdateCh: make(chan struct{}, 1),
		waitCh:          make(chan struct{}),
		maxRestarts:     3,
	}
}

// Alloc returns the latest version of the allocation.
func (tr *TaskRunner) Alloc() *Allocation {
	tr.allocLock.Lock()
	defer tr.allocLock.Unlock()
	return tr.alloc
}

func (tr *TaskRunner) setAlloc(updated *Allocation) {
	tr.allocLock.Lock()
	tr.alloc = updated
	tr.allocLock.Unlock()
}

// Update the running allocation with a new version received from the server.
// It is called by the alloc runner, asynchronously to Run.
func (tr *TaskRunner) Update(update *Allocation) {
	tr.setAlloc(update)

	// Trigger update hooks if not terminal
	if !update.ServerTerminalStatus() && !update.ClientTerminalStatus() {
		select {
		case tr.triggerUpdateCh <- struct{}{}:
		default:
			// already an update hook pending
		}
	}
}

// Kill stops the task for good.
func (tr *TaskRunner) Kill() {
	tr.killCtxCancel()
	<-tr.waitCh
}

func (tr *TaskRunner) getDriverHandle() DriverHandle {
	tr.handleLock.Lock()
	defer tr.handleLock.Unlock()
	return tr.handle
}

func (tr *TaskRunner) setDriverHandle(h DriverHandle) {
	tr.handleLock.Lock()
	tr.handle = h
	tr.handleLock.Unlock()
}

// Run the TaskRunner. Starts the user's task. Run closes WaitCh when it exits.
func (tr *TaskRunner) Run() {
	defer close(tr.waitCh)

MAIN:
	for !tr.shouldShutdown() {
		select {
		case <-tr.killCtx.Done():
			break MAIN
		case <-tr.shutdownCtx.Done():
			// TaskRunner was told to exit immediately
			return
		default:
		}

		// Run the prestart hooks
		if err := tr.prestart(); err != nil {
			log.Printf("prestart failed: %v", err)
			goto RESTART
		}

		select {
		case <-tr.killCtx.Done():
			break MAIN
		case <-tr.shutdownCtx.Done():
			return
		default:
		}

		// Run the task
		if err := tr.runDriver(); err != nil {
			log.Printf("running driver failed: %v", err)
			goto RESTART
		}

		select {
		case <-tr.killCtx.Done():
			tr.handleKill()
		case <-tr.shutdownCtx.Done():
			return
		case err := <-tr.getDriverHandle().WaitCh():
			log.Printf("task %s exited: %v", tr.taskName, err)
		}

		// Clear the handle
		tr.setDriverHandle(nil)

	RESTART:
		if !tr.shouldRestart() {
			break MAIN
		}
		select {
		case <-time.After(time.Second):
		case <-tr.killCtx.Done():
			break MAIN
		case <-tr.shutdownCtx.Done():
			return
		}
	}

	// Ensure handle is cleaned up.
	if tr.getDriverHandle() != nil {
		tr.handleKill()
		tr.setDriverHandle(nil)
	}
}

// shouldShutdown returns true when the task runner should not proceed with the
// MAIN task execution loop.
func (tr *TaskRunner) shouldShutdown() bool {
	alloc := tr.Alloc()
	if alloc.ClientTerminalStatus() {
		return true
	}
	return !tr.poststop && alloc.ServerTerminalStatus()
}

// prestart is used to run the runners prestart hooks.
func (tr *TaskRunner) prestart() error {
	// Determine if the allocation is terminal and we should avoid running
	// prestart hooks.
	if tr.shouldShutdown() {
		log.Printf("skipping prestart hooks since allocation is terminal")
		return nil
	}

	ctx, cancel := context.WithCancel(tr.killCtx)
	defer cancel()

	alloc := tr.Alloc()
	for _, pre := range tr.hooks {
		if err := pre.Prestart(ctx, alloc); err != nil {
			return errors.New("prestart hook " + pre.Name() + " failed: " + err.Error())
		}
	}
	return nil
}

// runDriver runs the driver and stores the handle.
func (tr *TaskRunner) runDriver() error {
	h, err := tr.driver.StartTask(tr.Alloc(), tr.taskName)
	if err != nil {
		return err
	}
	tr.setDriverHandle(h)
	return nil
}

func (tr *TaskRunner) handleKill() {
	h := tr.getDriverHandle()
	if h == nil {
		return
	}
	if err := h.Kill(); err != nil {
		log.Printf("failed to kill task: %v", err)
		return
	}
	<-h.WaitCh()
}

func (tr *TaskRunner) shouldRestart() bool {
	if tr.killCtx.Err() != nil {
		return false
	}
	tr.restarts++
	return tr.restarts <= tr.maxRestarts
}
