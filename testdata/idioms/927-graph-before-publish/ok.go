// Package taskgraph loads the task graph of a workspace and lets workers walk it.
package taskgraph

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrNotLoaded is returned before the first successful Load.
var ErrNotLoaded = errors.New("taskgraph: no graph loaded")

// Decl is one task as declared in a build file.
type Decl struct {
	Name string
	Deps []string
}

type node struct {
	name    string
	waiting int     // dependencies that are not done
	users   []*node // nodes that depend on this one
	taken   bool
	done    bool
}

// graph is one loaded generation of the task graph. Workers share it, so that
// everything in it is guarded by mu.
type graph struct {
	gen uint64

	mu    sync.Mutex
	nodes map[string]*node
	ready []*node
	left  int
}

func (g *graph) has(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ok := g.nodes[name]
	return ok
}

func (g *graph) insert(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.nodes[name] = &node{name: name}
	g.left++
}

func (g *graph) link(name, dep string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, d := g.nodes[name], g.nodes[dep]
	n.waiting++
	d.users = append(d.users, n)
}

// seal collects the nodes that have no dependencies. It fails if there is a cycle.
func (g *graph) seal() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range g.nodes {
		if n.waiting == 0 {
			g.ready = append(g.ready, n)
		}
	}
	slices.SortFunc(g.ready, func(a, b *node) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	waiting := make(map[*node]int, len(g.nodes))
	seen := slices.Clone(g.ready)
	for i := 0; i < len(seen); i++ {
		for _, u := range seen[i].users {
			if waiting[u]++; waiting[u] == u.waiting {
				seen = append(seen, u)
			}
		}
	}
	if len(seen) != len(g.nodes) {
		return fmt.Errorf("taskgraph: cycle among %d tasks", len(g.nodes)-len(seen))
	}
	return nil
}

// take hands out a ready node.
func (g *graph) take() (name string, left int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.ready) == 0 {
		return "", g.left
	}
	n := g.ready[0]
	g.ready = g.ready[1:]
	n.taken = true
	return n.name, g.left
}

// finish marks a node done and releases the nodes that waited for it.
func (g *graph) finish(name string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, ok := g.nodes[name]
	if !ok || !n.taken || n.done {
		return fmt.Errorf("taskgraph: %q is not being run", name)
	}
	n.done = true
	g.left--
	for _, u := range n.users {
		if u.waiting--; u.waiting == 0 {
			g.ready = append(g.ready, u)
		}
	}
	return nil
}

// Workspace holds the graph of the current generation. It is safe for concurrent
// use; a run that has started on a generation finishes on it.
type Workspace struct {
	gens    atomic.Uint64
	current atomic.Pointer[graph]
}

// Load replaces the graph by one made of the given declarations.
func (w *Workspace) Load(decls []Decl) error {
	g := &graph{gen: w.gens.Add(1), nodes: make(map[string]*node)}
	for _, d := range decls {
		if g.has(d.Name) {
			return fmt.Errorf("taskgraph: %q declared twice", d.Name)
		}
		g.insert(d.Name)
	}
	for _, d := range decls {
		for _, dep := range d.Deps {
			if !g.has(dep) {
				return fmt.Errorf("taskgraph: %q needs unknown task %q", d.Name, dep)
			}
			g.link(d.Name, dep)
		}
	}
	if err := g.seal(); err != nil {
		return err
	}
	w.publish(g)
	return nil
}

// publish makes g the current graph, unless a later Load has been quicker.
func (w *Workspace) publish(g *graph) {
	for {
		old := w.current.Load()
		if old != nil && old.gen > g.gen {
			return
		}
		if w.current.CompareAndSwap(old, g) {
			return
		}
	}
}

// Run is one walk through a generation of the graph. Its workers share it.
type Run struct{ g *graph }

// Start returns a run on the current graph. A graph is run by all its runs
// together: each task is handed out once per generation.
func (w *Workspace) Start() (*Run, error) {
	g := w.current.Load()
	if g == nil {
		return nil, ErrNotLoaded
	}
	return &Run{g: g}, nil
}

// Next returns a task that can be run now, "" if there is none at the moment, and
// how many tasks are not done yet.
func (r *Run) Next() (name string, left int) { return r.g.take() }

// Done reports that a task has been run.
func (r *Run) Done(name string) error { return r.g.finish(name) }
