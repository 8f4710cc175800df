// Package task runs a single task of an allocation.
package task

import (
	"fmt"

	"github.com/atomvet/atomvet/testdata/kernels/nomad-02-hook-resources/fix/state"
)

// Task is one task of an allocation.
type Task struct {
	Name    string
	Volumes []string

	res *state.Prepared
}

// New returns a task that needs the given volumes and reads the step output
// from res.
func New(name string, res *state.Prepared, volumes []string) *Task {
	return &Task{Name: name, Volumes: volumes, res: res}
}

// Binds lists the host paths to bind into the task.
func (t *Task) Binds() ([]string, error) {
	mounts := t.res.Mounts()

	binds := make([]string, 0, len(t.Volumes))
	for _, v := range t.Volumes {
		mnt, ok := mounts[v]
		if !ok {
			return nil, fmt.Errorf("task %s: volume %q is not mounted", t.Name, v)
		}
		binds = append(binds, mnt.Source)
	}
	return binds, nil
}

// DevicePaths lists the device nodes visible to the task.
func (t *Task) DevicePaths() []string {
	return t.res.Devices()
}
