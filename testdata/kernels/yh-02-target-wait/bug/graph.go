// Package graph builds a set of targets in parallel, each one after the
// targets that it depends on.
package graph

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// State is the progress of a target.
type State int

const (
	Waiting State = iota
	Building
	Built
	Broken
)

// Target is one node of the build.
type Target struct {
	Name string
	Deps []string
	Make func(ctx context.Context) error
}

type node struct {
	target Target
	state  State
	err    error
}

// Graph holds the targets of one build. Its methods may be called from any
// goroutine.
type Graph struct {
	order   []string
	started atomic.Bool

	mu      sync.Mutex
	nodes   map[string]*node
	changed chan struct{} // closed and replaced at every change of state
}

// New checks that the targets come in dependency order and returns their graph.
func New(targets []Target) (*Graph, error) {
	g := &Graph{nodes: make(map[string]*node), changed: make(chan struct{})}
	for _, t := range targets {
		if g.nodes[t.Name] != nil {
			return nil, fmt.Errorf("graph: target %s declared twice", t.Name)
		}
		for _, d := range t.Deps {
			if g.nodes[d] == nil {
				return nil, fmt.Errorf("graph: %s: unknown dependency %s", t.Name, d)
			}
		}
		g.nodes[t.Name] = &node{target: t}
		g.order = append(g.order, t.Name)
	}
	return g, nil
}

// Status reports the state of a target and, if it is broken, why.
func (g *Graph) Status(name string) (State, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.nodes[name]
	if n == nil {
		return Broken, fmt.Errorf("graph: no target %s", name)
	}
	return n.state, n.err
}

func (g *Graph) mark(name string, st State, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.nodes[name]
	n.state, n.err = st, err
	close(g.changed)
	g.changed = make(chan struct{})
}

// Changed returns a channel that is closed at the next change of any state.
// Progress displays redraw on it.
func (g *Graph) Changed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed
}

// Wait blocks until the target is built or known to be broken.
func (g *Graph) Wait(ctx context.Context, name string) error {
	for {
		st, err := g.Status(name)
		if st == Built || st == Broken {
			return err
		}
		select {
		case <-g.Changed():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Build makes all targets and returns the errors of those that broke.
func (g *Graph) Build(ctx context.Context, parallel int) error {
	if !g.started.CompareAndSwap(false, true) {
		return errors.New("graph: already built")
	}
	slots := make(chan struct{}, max(parallel, 1))
	var wg sync.WaitGroup
	for _, name := range g.order {
		wg.Go(func() {
			g.run(ctx, name, slots)
		})
	}
	wg.Wait()

	var errs []error
	for _, name := range g.order {
		if _, err := g.Status(name); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (g *Graph) run(ctx context.Context, name string, slots chan struct{}) {
	t := g.nodes[name].target
	for _, d := range t.Deps {
		if err := g.Wait(ctx, d); err != nil {
			g.mark(name, Broken, fmt.Errorf("%s: dependency %s: %w", name, d, err))
			return
		}
	}
	slots <- struct{}{}
	defer func() { <-slots }()
	g.mark(name, Building, nil)
	if err := t.Make(ctx); err != nil {
		g.mark(name, Broken, fmt.Errorf("%s: %w", name, err))
		return
	}
	g.mark(name, Built, nil)
}
