package template

import (
	"context"
	"fmt"
	"math/rand"
	"sync"
	"time"
)

// ScriptExecutor runs a command in the task.
type ScriptExecutor interface {
	Exec(timeout time.Duration, cmd string, args []string) ([]byte, int, error)
}

// ChangeScript is run when the template changes.
type ChangeScript struct {
	Command     string
	Args        []string
	Timeout     time.Duration
	FailOnError bool
}

// Template is rendered into the task directory.
type Template struct {
	ID           string
	ChangeScript *ChangeScript
	Splay        time.Duration
}

// TaskLifecycle is the task runner.
type TaskLifecycle interface {
	Kill(ctx context.Context, msg string) error
	EmitEvent(msg string)
}

// TaskTemplateManager renders the templates of one task.
type TaskTemplateManager struct {
	lifecycle TaskLifecycle

	// lookup allows looking up the set of templates by their consul-template ID
	lookup map[string][]*Template

	// renderedCh delivers the ids of templates that were rendered again
	renderedCh chan []string

	// handle is used to execute scripts
	handle     ScriptExecutor
	handleLock sync.Mutex

	// shutdownCh is used to signal any started goroutine to shutdown
	shutdownCh chan struct{}

	// shutdown marks whether the manager has been shutdown
	shutdown     bool
	shutdownLock sync.Mutex
}

// NewTaskTemplateManager starts the manager of the task.
func NewTaskTemplateManager(lifecycle TaskLifecycle, templates []*Template) *TaskTemplateManager {
	tm := &TaskTemplateManager{
		lifecycle:  lifecycle,
		lookup:     make(map[string][]*Template),
		renderedCh: make(chan []string),
		shutdownCh: make(chan struct{}),
	}
	for _, t := range templates {
		tm.lookup[t.ID] = append(tm.lookup[t.ID], t)
	}
	go tm.run()
	return tm
}

// Stop is used to stop the consul-template runner
func (tm *TaskTemplateManager) Stop() {
	tm.shutdownLock.Lock()
	defer tm.shutdownLock.Unlock()

	if tm.shutdown {
		return
	}
	close(tm.shutdownCh)
	tm.shutdown = true
}

// SetDriverHandle sets the executor, nil when the task has none.
func (tm *TaskTemplateManager) SetDriverHandle(executor ScriptExecutor) {
	tm.handleLock.Lock()
	defer tm.handleLock.Unlock()
	tm.handle = executor
}

func (tm *TaskTemplateManager) driverHandle() ScriptExecutor {
	tm.handleLock.Lock()
	defer tm.handleLock.Unlock()
	return tm.handle
}

func (tm *TaskTemplateManager) run() {
	for {
		select {
		case <-tm.shutdownCh:
			return
		case ids := <-tm.renderedCh:
			tm.onTemplateRendered(ids)
		}
	}
}

func (tm *TaskTemplateManager) onTemplateRendered(ids []string) {
	var scripts []*ChangeScript
	var splay time.Duration
	for _, id := range ids {
		tmpls, ok := tm.lookup[id]
		if !ok {
			tm.lifecycle.Kill(context.Background(), fmt.Sprintf("Template runner returned unknown template id %q", id))
			return
		}
		for _, tmpl := range tmpls {
			if tmpl.ChangeScript != nil {
				scripts = append(scripts, tmpl.ChangeScript)
			}
			if tmpl.Splay > splay {
				splay = tmpl.Splay
			}
		}
	}

	// Apply splay timeout to avoid applying change_mode too frequently.
	if splay != 0 {
		select {
		case <-time.After(time.Duration(rand.Int63n(splay.Nanoseconds()))):
		case <-tm.shutdownCh:
			return
		}
	}
	tm.handleChangeModeScript(scripts)
}

func (tm *TaskTemplateManager) handleChangeModeScript(scripts []*ChangeScript) {
	// process script execution concurrently
	var wg sync.WaitGroup
	for _, script := range scripts {
		wg.Add(1)
		go tm.processScript(script, &wg)
	}
	wg.Wait()
}

// handleScriptError is a helper function that produces a TaskKilling event and
// emits a message
func (tm *TaskTemplateManager) handleScriptError(script *ChangeScript, msg string) {
	tm.lifecycle.EmitEvent(msg)
	if script.FailOnError {
		tm.lifecycle.Kill(context.Background(), "Template script failed, task is being killed")
	}
}

// processScript is used for executing change_mode script and handling errors
func (tm *TaskTemplateManager) processScript(script *ChangeScript, wg *sync.WaitGroup) {
	defer wg.Done()

	if tm.driverHandle() == nil {
		failureMsg := fmt.Sprintf(
			"Template failed to run script %v with arguments %v because task driver handle is not available",
			script.Command,
			script.Args,
		)
		tm.handleScriptError(script, failureMsg)
		return
	}
	_, exitCode, err := tm.driverHandle().Exec(script.Timeout, script.Command, script.Args)
	if err != nil {
		failureMsg := fmt.Sprintf(
			"Template failed to run script %v with arguments %v on change: %v Exit code: %v",
			script.Command,
			script.Args,
			err,
			exitCode,
		)
		tm.handleScriptError(script, failureMsg)
		return
	}
	if exitCode != 0 {
		tm.handleScriptError(script, fmt.Sprintf("Template ran script %v but it exited with code: %v", script.Command, exitCode))
		return
	}
	tm.lifecycle.EmitEvent(fmt.Sprintf("Template successfully ran script %v", script.Command))
}

// templateHook ties the manager to the life of the task.
type templateHook struct {
	managerLock     sync.Mutex
	templateManager *TaskTemplateManager
}

// Poststart is called when the task runs.
func (h *templateHook) Poststart(exec ScriptExecutor) {
	h.managerLock.Lock()
	defer h.managerLock.Unlock()
	if h.templateManager != nil {
		h.templateManager.SetDriverHandle(exec)
	}
}

// Exited is called when the task has exited, it may be started again.
func (h *templateHook) Exited() {
	h.managerLock.Lock()
	defer h.managerLock.Unlock()
	if h.templateManager != nil {
		h.templateManager.SetDriverHandle(nil)
	}
}
