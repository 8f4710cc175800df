package taskrunner

import (
	"context"
	"log"
	"sync"
)

// DriverHandle is the handle of the running task.
type DriverHandle interface {
	ScriptExecutor
	WaitCh() <-chan error
	Kill()
}

// Driver starts tasks.
type Driver interface {
	StartTask(t *Task) (DriverHandle, *DriverNetwork, error)
}

// TaskRunner runs one task of an allocation.
type TaskRunner struct {
	task   *Task
	driver Driver
	hook   *serviceHook

	killCtx         context.Context
	killCtxCancel   context.CancelFunc
	triggerUpdateCh chan struct{}
	waitCh          chan struct{}

	allocLock sync.Mutex
	alloc     *Allocation
}

// NewTaskRunner returns a runner, Run has to be called in its own goroutine.
func NewTaskRunner(alloc *Allocation, task *Task, driver Driver, consul ConsulServiceAPI) *TaskRunner {
	ctx, cancel := context.WithCancel(context.Background())
	tr := &TaskRunner{
		task:            task,
		driver:          driver,
		hook:            newServiceHook(consul, alloc, task),
		killCtx:         ctx,
		killCtxCancel:   cancel,
		triggerUpdateCh: make(chan struct{}, 1),
		waitCh:          make(chan struct{}),
		alloc:           alloc,
	}
	return tr
}

// Run starts the task and blocks until it has exited.
func (tr *TaskRunner) Run() {
	defer close(tr.waitCh)

	go tr.handleUpdates()

	handle, net, err := tr.driver.StartTask(tr.task)
	if err != nil {
		log.Printf("starting task %q: %v", tr.task.Name, err)
		return
	}

	// Run the poststart hooks
	if err := tr.poststart(handle, net); err != nil {
		log.Printf("poststart failed: %v", err)
	}

	select {
	case <-handle.WaitCh():
	case <-tr.killCtx.Done():
		tr.hook.PreKilling(context.Background())
		handle.Kill()
		<-handle.WaitCh()
	}
	tr.hook.Exited(context.Background())
}

func (tr *TaskRunner) poststart(handle DriverHandle, net *DriverNetwork) error {
	return tr.hook.Poststart(tr.killCtx, &TaskPoststartRequest{
		DriverExec:    handle,
		DriverNetwork: net,
		TaskEnv:       tr.env(),
	})
}

// Update the running allocation with a new version received from the server.
// Called by the alloc runner.
func (tr *TaskRunner) Update(update *Allocation) {
	tr.allocLock.Lock()
	tr.alloc = update
	tr.allocLock.Unlock()

	// Trigger update hooks
	select {
	case tr.triggerUpdateCh <- struct{}{}:
	default:
		// already pending
	}
}

// Kill the task.
func (tr *TaskRunner) Kill() {
	tr.killCtxCancel()
	<-tr.waitCh
}

// handleUpdates runs update hooks when triggerUpdateCh is ticked and exits
// when Run has returned. Should only be run in a goroutine from Run.
func (tr *TaskRunner) handleUpdates() {
	for {
		select {
		case <-tr.triggerUpdateCh:
		case <-tr.killCtx.Done():
			return
		case <-tr.waitCh:
			return
		}

		// Run update hooks
		tr.allocLock.Lock()
		alloc := tr.alloc
		tr.allocLock.Unlock()
		if err := tr.hook.Update(tr.killCtx, &TaskUpdateRequest{Alloc: alloc, TaskEnv: tr.env()}); err != nil {
			log.Printf("update hook failed: %v", err)
		}
	}
}

func (tr *TaskRunner) env() map[string]string {
	tr.allocLock.Lock()
	defer tr.allocLock.Unlock()
	return map[string]string{"NOMAD_ALLOC_ID": tr.alloc.ID, "NOMAD_TASK_NAME": tr.task.Name}
}
