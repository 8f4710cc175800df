// Package ciagent runs build steps on a CI worker machine.
package ciagent

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// ErrDraining is returned to the dispatcher once the agent winds down.
var ErrDraining = errors.New("ciagent: draining")

// Step is one command of a build.
type Step struct {
	Build string
	Name  string
	Exec  func(dir string) error
}

// Agent runs steps in directories below root. The dispatcher's connections
// call Submit concurrently; Shutdown is called by the signal handler.
type Agent struct {
	root string

	mu       sync.Mutex
	idle     *sync.Cond
	active   int
	draining bool
	results  map[string]error
}

// New returns an agent that works below root.
func New(root string) *Agent {
	a := &Agent{root: root, results: make(map[string]error)}
	a.idle = sync.NewCond(&a.mu)
	return a
}

// Submit starts the step in the background.
func (a *Agent) Submit(s Step) error {
	if s.Exec == nil {
		return fmt.Errorf("ciagent: step %s/%s has no command", s.Build, s.Name)
	}
	if !a.enter() {
		return ErrDraining
	}
	go a.run(s)
	return nil
}

// enter counts a step in, unless no new steps are taken.
func (a *Agent) enter() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.draining {
		return false
	}
	a.active++
	return true
}

// leave counts a step out and keeps its result.
func (a *Agent) leave(s Step, err error) {
	a.mu.Lock()
	a.results[s.Build+"/"+s.Name] = err
	a.active--
	if a.active == 0 {
		a.idle.Broadcast()
	}
	a.mu.Unlock()
}

// run executes a step that has been counted in.
func (a *Agent) run(s Step) {
	dir := filepath.Join(a.root, s.Build)
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = s.Exec(dir)
	}
	if err != nil {
		slog.Error("ciagent: step failed", "build", s.Build, "step", s.Name, "err", err)
	}
	a.leave(s, err)
}

// Result returns how a finished step ended.
func (a *Agent) Result(build, step string) (err error, done bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	err, done = a.results[build+"/"+step]
	return err, done
}

// Active returns the number of steps under way.
func (a *Agent) Active() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.active
}

// drain refuses new steps and waits for those under way.
func (a *Agent) drain() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.draining = true
	for a.active > 0 {
		a.idle.Wait()
	}
}

// Shutdown finishes accepted steps and removes the workspace.
func (a *Agent) Shutdown() error {
	a.drain()
	return os.RemoveAll(a.root)
}
