// Package task runs a single task of an allocation.
package task

import (
	"fmt"
	"slices"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/nomad-02-hook-resources/bug/state"
)

// Task is one task of an allocation.
type Task struct {
	Name    string
	Volumes []string

	mu  sync.Mutex
	res *state.Prepared
}

// New returns a task that needs the given volumes.
func New(name string, volumes []string) *Task {
	return &Task{Name: name, Volumes: volumes, res: &state.Prepared{}}
}

// SetPrepared hands the current step output to the task.
func (t *Task) SetPrepared(res *state.Prepared) {
	t.mu.Lock()
	t.res = res
	t.mu.Unlock()
}

// Binds lists the host paths to bind into the task.
func (t *Task) Binds() ([]string, error) {
	t.mu.Lock()
	res := t.res
	t.mu.Unlock()

	binds := make([]string, 0, len(t.Volumes))
	for _, v := range t.Volumes {
		mnt, ok := res.Mounts[v]
		if !ok {
			return nil, fmt.Errorf("task %s: volume %q is not mounted", t.Name, v)
		}
		binds = append(binds, mnt.Source)
	}
	return binds, nil
}

// DevicePaths lists the device nodes visible to the task.
func (t *Task) DevicePaths() []string {
	t.mu.Lock()
	res := t.res
	t.mu.Unlock()
	return slices.Clone(res.Devices)
}
