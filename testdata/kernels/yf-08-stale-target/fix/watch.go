// Package watchbuild rebuilds targets when their sources change on disk.
package watchbuild

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
)

// Compiler turns the sources of a target into an output. It reads the sources
// from disk when it is called.
type Compiler interface {
	Compile(ctx context.Context, target string, srcs []string) (output string, err error)
}

// Status is the state of a target as shown by the progress display.
type Status struct {
	Target   string
	Output   string
	Err      error
	Stale    bool
	Building bool
	Builds   int
}

type target struct {
	name     string
	srcs     []string
	stale    bool // sources changed since they were last compiled
	building bool
	builds   int
	output   string
	err      error
}

// Builder owns the targets of a workspace. The file watcher calls Touch while
// any number of workers sit in Run and the display polls Status.
type Builder struct {
	cc Compiler

	mu      sync.Mutex
	work    sync.Cond // something to build, or closed
	targets map[string]*target
	order   []*target
	closed  bool
}

// NewBuilder returns a builder without targets.
func NewBuilder(cc Compiler) *Builder {
	b := &Builder{cc: cc, targets: make(map[string]*target)}
	b.work.L = &b.mu
	return b
}

// locked runs fn with the builder's lock held.
func (b *Builder) locked(fn func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fn()
}

// Add adds a target. It is built at the first opportunity.
func (b *Builder) Add(name string, srcs ...string) error {
	clean := make([]string, len(srcs))
	for i, s := range srcs {
		clean[i] = filepath.Clean(s)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.targets[name]; ok {
		return fmt.Errorf("watchbuild: duplicate target %q", name)
	}
	t := &target{name: name, srcs: clean, stale: true}
	b.targets[name] = t
	b.order = append(b.order, t)
	b.work.Broadcast()
	return nil
}

// Touch tells the builder that a file has been written. It returns the number of
// targets that use the file.
func (b *Builder) Touch(path string) (n int) {
	path = filepath.Clean(path)
	b.locked(func() {
		for _, t := range b.order {
			if slices.Contains(t.srcs, path) {
				t.stale = true
				n++
			}
		}
		if n > 0 {
			b.work.Broadcast()
		}
	})
	return n
}

// claim waits for a target that has to be built and marks it as being built, so
// that no other worker takes it. It returns nil when the builder is closed.
func (b *Builder) claim() (claimed *target) {
	b.locked(func() {
		for !b.closed {
			for _, t := range b.order {
				if t.stale && !t.building {
					t.building = true
					t.stale = false
					claimed = t
					return
				}
			}
			b.work.Wait()
		}
	})
	return claimed
}

// finish records the outcome of a build. A target that failed is not tried again
// until one of its sources changes.
func (b *Builder) finish(t *target, output string, err error) {
	b.locked(func() {
		t.building = false
		t.builds++
		t.err = err
		if err == nil {
			t.output = output
		}
		b.work.Broadcast()
	})
}

// buildOne builds the next target. It returns false when there is no more work
// because the builder is closed.
func (b *Builder) buildOne(ctx context.Context) bool {
	t := b.claim()
	if t == nil {
		return false
	}
	output, err := b.cc.Compile(ctx, t.name, t.srcs)
	if err != nil {
		err = fmt.Errorf("watchbuild: %s: %w", t.name, err)
	}
	b.finish(t, output, err)
	return true
}

// Run builds with the given number of workers until ctx ends.
func (b *Builder) Run(ctx context.Context, workers int) {
	stop := context.AfterFunc(ctx, func() {
		b.locked(func() {
			b.closed = true
			b.work.Broadcast()
		})
	})
	defer stop()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for b.buildOne(ctx) {
			}
		})
	}
	wg.Wait()
}

// Status lists all targets in the order in which they were added.
func (b *Builder) Status() (out []Status) {
	b.locked(func() {
		for _, t := range b.order {
			out = append(out, Status{
				Target: t.name, Output: t.output, Err: t.err,
				Stale: t.stale, Building: t.building, Builds: t.builds,
			})
		}
	})
	return out
}
