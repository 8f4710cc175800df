// Package fix runs the steps of an allocation and feeds their output to its
// tasks.
package fix

import (
	"fmt"

	"github.com/atomvet/atomvet/testdata/kernels/nomad-02-hook-resources/fix/state"
	"github.com/atomvet/atomvet/testdata/kernels/nomad-02-hook-resources/fix/task"
)

type step interface {
	Name() string
	Prepare() error
}

// Runner owns one allocation.
type Runner struct {
	id    string
	tasks map[string]*task.Task
	steps []step

	shared *state.Prepared
}

// NewRunner returns a runner for one allocation. Volumes maps aliases to volume
// IDs, tasks maps the name of each task to the aliases it needs.
func NewRunner(id string, mount MountFunc, volumes map[string]string, tasks map[string][]string) *Runner {
	r := &Runner{
		id:     id,
		tasks:  make(map[string]*task.Task, len(tasks)),
		shared: &state.Prepared{},
	}
	for name, aliases := range tasks {
		r.tasks[name] = task.New(name, r.shared, aliases)
	}
	r.steps = []step{
		newMountStep(mount, volumes, r.shared),
	}
	return r
}

// Task returns the task called name, or nil.
func (r *Runner) Task(name string) *task.Task { return r.tasks[name] }

// Start runs the steps that must succeed before the tasks may run.
func (r *Runner) Start() error {
	for _, s := range r.steps {
		if err := s.Prepare(); err != nil {
			return fmt.Errorf("alloc %s: step %s: %w", r.id, s.Name(), err)
		}
	}
	return nil
}

// AttachDevice makes a device node visible to the tasks. The device manager
// calls it whenever a reserved device comes up.
func (r *Runner) AttachDevice(path string) {
	r.shared.AddDevice(path)
}
