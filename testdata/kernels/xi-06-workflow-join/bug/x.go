// Package workflow runs the steps of a process in the order of their
// dependencies.
package workflow

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Action is the work of one step.
type Action func(ctx context.Context) error

// Definition describes a process. It must not be changed once a Run was made
// from it.
type Definition struct {
	actions map[string]Action
	after   map[string][]string // step -> steps waiting for it
	needs   map[string]int      // step -> number of steps it waits for
}

// NewDefinition returns a definition without steps.
func NewDefinition() *Definition {
	return &Definition{
		actions: make(map[string]Action),
		after:   make(map[string][]string),
		needs:   make(map[string]int),
	}
}

// Step adds a step which starts when all of deps have completed.
func (d *Definition) Step(name string, a Action, deps ...string) *Definition {
	d.actions[name] = a
	d.needs[name] = len(deps)
	for _, dep := range deps {
		d.after[dep] = append(d.after[dep], name)
	}
	return d
}

// Run is one execution of a definition.
type Run struct {
	def *Definition
	wg  sync.WaitGroup

	mu      sync.Mutex
	waiting map[string]int
	errs    []error
}

// Start begins an execution.
func (d *Definition) Start(ctx context.Context) *Run {
	r := &Run{def: d, waiting: make(map[string]int, len(d.needs))}
	var first []string
	for name, n := range d.needs {
		r.waiting[name] = n
		if n == 0 {
			first = append(first, name)
		}
	}
	r.wg.Add(1)
	defer r.wg.Done()
	for _, name := range first {
		r.launch(ctx, name)
	}
	return r
}

// launch runs a step in its own goroutine.
func (r *Run) launch(ctx context.Context, name string) {
	r.wg.Add(1)
	go func() {
		defer r.wg.Done()
		if err := r.def.actions[name](ctx); err != nil {
			r.fail(fmt.Errorf("step %s: %w", name, err))
			return
		}
		r.completed(ctx, name)
	}()
}

func (r *Run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, err)
}

// arrive notes that one dependency of name is met.
func (r *Run) arrive(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[name]--
}

// ready reports whether name waits for nothing any more.
func (r *Run) ready(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting[name] == 0
}

// completed launches the steps that became runnable.
func (r *Run) completed(ctx context.Context, name string) {
	if ctx.Err() != nil {
		return
	}
	for _, next := range r.def.after[name] {
		r.arrive(next)
		if r.ready(next) {
			r.launch(ctx, next)
		}
	}
}

// Wait blocks until no step is running and returns the errors of all steps
// that failed.
func (r *Run) Wait() error {
	r.wg.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.errs...)
}
