// Package bug runs one allocation and persists its state.
package bug

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"time"
)

// Task states.
const (
	TaskStatePending = "pending"
	TaskStateRunning = "running"
	TaskStateDead    = "dead"
)

// Allocation is the placed part of a job.
type Allocation struct {
	ID           string
	ClientStatus string
	TaskStates   map[string]string
}

// Copy returns a deep copy.
func (a *Allocation) Copy() *Allocation {
	c := *a
	c.TaskStates = maps.Clone(a.TaskStates)
	return &c
}

// ExecContext is the environment of the tasks; it never changes once it is set.
type ExecContext struct {
	AllocDir string
}

// StateDir is the directory of state files.
type StateDir struct {
	mu    sync.Mutex
	files map[string][]byte
}

// WriteFile replaces a file.
func (d *StateDir) WriteFile(path string, data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files == nil {
		d.files = make(map[string][]byte)
	}
	d.files[path] = data
	return nil
}

// allocRunnerState is used to snapshot the state of the alloc runner
type allocRunnerState struct {
	Version string
	Alloc   *Allocation
	Context *ExecContext
}

// AllocRunner is used to wrap an allocation and provide the execution context.
type AllocRunner struct {
	version string
	dir     *StateDir

	alloc     *Allocation
	allocLock sync.Mutex

	ctx     *ExecContext
	ctxLock sync.Mutex

	taskStates     map[string]string
	taskStatusLock sync.RWMutex

	destroyCh chan struct{}
}

// NewAllocRunner returns a runner whose state is saved every interval.
func NewAllocRunner(dir *StateDir, alloc *Allocation, interval time.Duration) *AllocRunner {
	r := &AllocRunner{
		version:    "0.4",
		dir:        dir,
		alloc:      alloc,
		taskStates: make(map[string]string),
		destroyCh:  make(chan struct{}),
	}
	go r.periodicSave(interval)
	return r
}

func (r *AllocRunner) periodicSave(interval time.Duration) {
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = r.SaveState()
		case <-r.destroyCh:
			return
		}
	}
}

// SaveState is used to snapshot the state of the alloc runner.
func (r *AllocRunner) SaveState() error {
	if err := r.saveAllocRunnerState(); err != nil {
		return fmt.Errorf("failed to save state of alloc: %v", err)
	}
	return nil
}

func (r *AllocRunner) saveAllocRunnerState() error {
	// Create the snapshot.
	alloc := r.Alloc()

	r.ctxLock.Lock()
	ctx := r.ctx
	r.ctxLock.Unlock()

	snap := allocRunnerState{
		Version: r.version,
		Alloc:   alloc,
		Context: ctx,
	}
	return persistState(r.dir, r.stateFilePath(), &snap)
}

func persistState(dir *StateDir, path string, data any) error {
	buf, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("failed to encode state: %v", err)
	}
	return dir.WriteFile(path, buf)
}

func (r *AllocRunner) stateFilePath() string {
	return filepath.Join("alloc", r.alloc.ID, "state.json")
}

// Alloc returns the associated allocation with its current status.
func (r *AllocRunner) Alloc() *Allocation {
	r.allocLock.Lock()
	defer r.allocLock.Unlock()
	alloc := r.alloc.Copy()

	var running, dead bool
	r.taskStatusLock.RLock()
	alloc.TaskStates = maps.Clone(r.taskStates)
	r.taskStatusLock.RUnlock()
	for _, state := range alloc.TaskStates {
		running = running || state == TaskStateRunning
		dead = dead || state == TaskStateDead
	}
	switch {
	case running:
		alloc.ClientStatus = TaskStateRunning
	case dead:
		alloc.ClientStatus = TaskStateDead
	}
	return alloc
}

// setContext is called once, before the tasks are started.
func (r *AllocRunner) setContext(ctx *ExecContext) {
	r.ctxLock.Lock()
	r.ctx = ctx
	r.ctxLock.Unlock()
}

// setTaskState is called by the goroutines of the tasks.
func (r *AllocRunner) setTaskState(task, state string) error {
	r.taskStatusLock.Lock()
	r.taskStates[task] = state
	r.taskStatusLock.Unlock()
	return r.SaveState()
}

// Destroy ends the periodic save and writes the last state.
func (r *AllocRunner) Destroy() error {
	close(r.destroyCh)
	return r.SaveState()
}
