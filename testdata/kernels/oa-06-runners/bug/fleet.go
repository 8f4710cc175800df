// Package runners hands CI jobs to a fleet of build machines.
package runners

import (
	"context"
	"errors"
	"sync"
)

// ErrNoRunner is returned when all machines with the label are taken.
var ErrNoRunner = errors.New("runners: no idle runner")

// Result is what became of a job.
type Result struct {
	Job    string
	Runner string
	Err    error
}

type group struct {
	mu      sync.RWMutex
	runners []*Runner
	next    int
}

// Fleet is a set of runners grouped by label.
type Fleet struct {
	mu      sync.Mutex
	groups  map[string]*group
	results chan Result
}

// NewFleet returns an empty fleet.
func NewFleet() *Fleet {
	return &Fleet{groups: make(map[string]*group), results: make(chan Result, 64)}
}

func (f *Fleet) group(label string) *group {
	f.mu.Lock()
	defer f.mu.Unlock()
	g, ok := f.groups[label]
	if !ok {
		g = &group{}
		f.groups[label] = g
	}
	return g
}

// Add makes r available.
func (f *Fleet) Add(r *Runner) {
	g := f.group(r.Label)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runners = append(g.runners, r)
}

func (f *Fleet) candidate(label string) *Runner {
	g := f.group(label)
	g.mu.Lock()
	defer g.mu.Unlock()
	for range g.runners {
		r := g.runners[g.next%len(g.runners)]
		g.next++
		if r.State() == Idle {
			return r
		}
	}
	return nil
}

// Dispatch starts job on an idle runner.
func (f *Fleet) Dispatch(ctx context.Context, job Job) error {
	r := f.candidate(job.Label)
	if r == nil {
		return ErrNoRunner
	}
	r.begin(job.ID)
	go func() {
		err := job.Run(ctx)
		r.finish(job.ID)
		f.results <- Result{Job: job.ID, Runner: r.Name, Err: err}
	}()
	return nil
}

// Results delivers finished jobs; it has to be drained.
func (f *Fleet) Results() <-chan Result { return f.results }

// Drain stops new work on all runners of a label and returns how many are still at work.
func (f *Fleet) Drain(label string) int {
	g := f.group(label)
	g.mu.RLock()
	rs := append([]*Runner(nil), g.runners...)
	g.mu.RUnlock()
	busy := 0
	for _, r := range rs {
		if !r.drain() {
			busy++
		}
	}
	return busy
}

// Utilisation returns the share of runners at work, for dashboards.
func (f *Fleet) Utilisation(label string) float64 {
	g := f.group(label)
	g.mu.RLock()
	defer g.mu.RUnlock()
	if len(g.runners) == 0 {
		return 0
	}
	busy := 0
	for _, r := range g.runners {
		if s := r.State(); s == Busy || s == Draining {
			busy++
		}
	}
	return float64(busy) / float64(len(g.runners))
}
