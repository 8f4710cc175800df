// Package cron starts due jobs on several dispatchers.
package cron

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	idle int32 = iota
	running
	canceled
)

type job struct {
	name  string
	every time.Duration
	work  func(context.Context)
	state atomic.Int32
	due   atomic.Int64 // unix nanoseconds
}

// Table is the list of periodic jobs.
type Table struct {
	mu   sync.RWMutex
	jobs []*job
}

// Add registers a job that is due at once.
func (t *Table) Add(name string, every time.Duration, work func(context.Context)) {
	j := &job{name: name, every: every, work: work}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.jobs = append(t.jobs, j)
}

// Cancel removes a job and reports whether it was not running.
func (t *Table) Cancel(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.jobs, func(j *job) bool { return j.name == name })
	if i < 0 {
		return false
	}
	j := t.jobs[i]
	t.jobs = slices.Delete(slices.Clone(t.jobs), i, i+1)
	return j.state.CompareAndSwap(idle, canceled)
}

func (t *Table) due(now time.Time) []*job {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []*job
	for _, j := range t.jobs {
		if j.state.Load() == idle && j.due.Load() <= now.UnixNano() {
			out = append(out, j)
		}
	}
	return out
}

// claim takes a job for one run.
func (j *job) claim(now time.Time) bool {
	if !j.state.CompareAndSwap(idle, running) {
		return false
	}
	if j.due.Load() > now.UnixNano() {
		j.state.Store(idle)
		return false
	}
	return true
}

func (j *job) run(ctx context.Context) {
	defer j.state.Store(idle)
	j.work(ctx)
	j.due.Store(time.Now().Add(j.every).UnixNano())
}

// Dispatch starts what is due; it may run on several goroutines.
func (t *Table) Dispatch(ctx context.Context, poll time.Duration) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, j := range t.due(now) {
				if j.claim(now) {
					j.run(ctx)
				}
			}
		}
	}
}

// Start runs n dispatchers.
func (t *Table) Start(ctx context.Context, n int, poll time.Duration) {
	for range n {
		go t.Dispatch(ctx, poll)
	}
}
