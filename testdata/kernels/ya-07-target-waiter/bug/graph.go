// Package graph runs the actions of a build in the order of their
// dependencies, as many at a time as the machine allows.
package graph

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// ErrUpstream is the result of a target whose dependencies failed.
var ErrUpstream = errors.New("graph: a dependency failed")

// Action builds a target.
type Action func() error

// Target is a node of the build graph.
type Target struct {
	Name   string
	action Action
	deps   []*Target

	mu      sync.Mutex
	done    bool
	err     error
	waiters []func(error)
}

// Done reports whether the target is finished, and with what result.
func (t *Target) Done() (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done, t.err
}

// OnDone calls fn with the result of the target once it is finished; at once
// if it is finished already. fn is called exactly once and must not block.
func (t *Target) OnDone(fn func(error)) {
	if done, err := t.Done(); done {
		fn(err)
		return
	}
	t.wait(fn)
}

// wait queues fn for the end of the target.
func (t *Target) wait(fn func(error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiters = append(t.waiters, fn)
}

// finish sets the result of the target and tells those who wait for it.
func (t *Target) finish(err error) {
	t.mu.Lock()
	t.done, t.err = true, err
	waiters := t.waiters
	t.waiters = nil
	t.mu.Unlock()
	for _, fn := range waiters {
		fn(err)
	}
}

// Graph is a set of targets. Add all targets first, then call Run once.
type Graph struct {
	targets map[string]*Target
	order   []*Target
	slots   chan struct{}
	all     sync.WaitGroup
}

// New returns an empty graph that runs at most jobs actions at a time.
func New(jobs int) *Graph {
	return &Graph{
		targets: make(map[string]*Target),
		slots:   make(chan struct{}, max(jobs, 1)),
	}
}

// Add adds a target. Its dependencies must have been added before, so a
// graph has no cycles.
func (g *Graph) Add(name string, action Action, deps ...string) (*Target, error) {
	if _, dup := g.targets[name]; dup {
		return nil, fmt.Errorf("graph: duplicate target %q", name)
	}
	t := &Target{Name: name, action: action}
	for _, d := range deps {
		dep, ok := g.targets[d]
		if !ok {
			return nil, fmt.Errorf("graph: %s: unknown dependency %q", name, d)
		}
		t.deps = append(t.deps, dep)
	}
	g.targets[name] = t
	g.order = append(g.order, t)
	return t, nil
}

// Run builds all targets and returns the errors of those that failed of
// themselves.
func (g *Graph) Run() error {
	g.all.Add(len(g.order))
	for _, t := range g.order {
		g.schedule(t)
	}
	g.all.Wait()

	var errs []error
	for _, t := range g.order {
		if _, err := t.Done(); err != nil && !errors.Is(err, ErrUpstream) {
			errs = append(errs, fmt.Errorf("%s: %w", t.Name, err))
		}
	}
	return errors.Join(errs...)
}

// schedule arranges for t to be executed when its dependencies are built.
func (g *Graph) schedule(t *Target) {
	if len(t.deps) == 0 {
		go g.execute(t)
		return
	}
	var failed atomic.Bool
	var left atomic.Int64
	left.Store(int64(len(t.deps)))
	for _, dep := range t.deps {
		dep.OnDone(func(err error) {
			if err != nil {
				failed.Store(true)
			}
			if left.Add(-1) > 0 {
				return
			}
			if failed.Load() {
				go g.skip(t)
			} else {
				go g.execute(t)
			}
		})
	}
}

// execute runs the action of t in a free slot.
func (g *Graph) execute(t *Target) {
	defer g.all.Done()
	g.slots <- struct{}{}
	err := t.action()
	<-g.slots
	t.finish(err)
}

// skip finishes t without running its action.
func (g *Graph) skip(t *Target) {
	defer g.all.Done()
	t.finish(ErrUpstream)
}
