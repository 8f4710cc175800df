// Package buildgraph tracks the targets of a build and lets clients wait for
// them.
package buildgraph

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrNoTarget is returned for targets that are not part of the build.
var ErrNoTarget = errors.New("buildgraph: no such target")

// State is the state of a target.
type State int

// States of a target.
const (
	Queued State = iota
	Building
	Built
	Failed
)

func (s State) final() bool { return s == Built || s == Failed }

type target struct {
	state   State
	err     error
	outputs []string
}

// Tracker knows the state of every target of one build.
type Tracker struct {
	mu      sync.Mutex
	targets map[string]*target
	waiters map[string][]chan error
}

// NewTracker returns a tracker for the given targets.
func NewTracker(names ...string) *Tracker {
	t := &Tracker{
		targets: make(map[string]*target, len(names)),
		waiters: make(map[string][]chan error),
	}
	for _, n := range names {
		t.targets[n] = &target{}
	}
	return t
}

// Begin notes that a worker took the target.
func (t *Tracker) Begin(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	tg, ok := t.targets[name]
	if !ok {
		return ErrNoTarget
	}
	if tg.state != Queued {
		return fmt.Errorf("buildgraph: %s is not queued", name)
	}
	tg.state = Building
	return nil
}

// Finish notes the outcome of a target and tells everybody waiting for it.
func (t *Tracker) Finish(name string, outputs []string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tg, ok := t.targets[name]
	if !ok || tg.state.final() {
		return
	}
	tg.state, tg.err, tg.outputs = Built, err, outputs
	if err != nil {
		tg.state = Failed
	}
	for _, ch := range t.waiters[name] {
		ch <- err
	}
	delete(t.waiters, name)
}

// Status returns the state of a target and, for failed ones, the error.
func (t *Tracker) Status(name string) (State, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tg, ok := t.targets[name]
	if !ok {
		return Queued, ErrNoTarget
	}
	return tg.state, tg.err
}

// Wait blocks until the target is built or has failed.
func (t *Tracker) Wait(ctx context.Context, name string) error {
	st, err := t.Status(name)
	if err != nil || st.final() {
		return err
	}

	ch := make(chan error, 1)
	t.mu.Lock()
	t.waiters[name] = append(t.waiters[name], ch)
	t.mu.Unlock()

	select {
	case err := <-ch:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Outputs returns the files a built target has produced.
func (t *Tracker) Outputs(name string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tg := t.targets[name]; tg != nil && tg.state == Built {
		return append([]string(nil), tg.outputs...)
	}
	return nil
}
