// Package timetable starts jobs at the times given by their schedules.
package timetable

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrNotFound is returned when there is no job of that name.
var ErrNotFound = errors.New("timetable: no such job")

// Schedule computes the next time after t. It may be slow: some look at the
// calendar of holidays.
type Schedule interface {
	Next(t time.Time) time.Time
}

// entry is in the heap, or is being handled by the loop (pos -1).
type entry struct {
	name  string
	sched Schedule
	job   func(context.Context)
	at    time.Time
	runs  int
	pos   int
}

type entryHeap []*entry

func (h entryHeap) Len() int           { return len(h) }
func (h entryHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h entryHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].pos, h[j].pos = i, j
}
func (h *entryHeap) Push(x any) {
	e := x.(*entry)
	e.pos = len(*h)
	*h = append(*h, e)
}
func (h *entryHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	e.pos = -1
	return e
}

// Table is the set of jobs.
type Table struct {
	maxRuns int
	changed chan struct{}

	mu     sync.Mutex
	queue  entryHeap
	byName map[string]*entry
}

// New returns an empty table; a job is dropped after maxRuns runs, if maxRuns
// is not 0.
func New(maxRuns int) *Table {
	return &Table{
		maxRuns: maxRuns,
		changed: make(chan struct{}, 1),
		byName:  make(map[string]*entry),
	}
}

// Set adds a job or replaces the one of the same name.
func (t *Table) Set(name string, sched Schedule, job func(context.Context)) {
	e := &entry{name: name, sched: sched, job: job, at: sched.Next(time.Now())}
	t.mu.Lock()
	t.removeLocked(name)
	t.byName[name] = e
	heap.Push(&t.queue, e)
	t.mu.Unlock()
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// Delete takes a job out. A run that is due at this moment may still start.
func (t *Table) Delete(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.removeLocked(name) {
		return ErrNotFound
	}
	return nil
}

func (t *Table) removeLocked(name string) bool {
	e, ok := t.byName[name]
	if !ok {
		return false
	}
	delete(t.byName, name)
	if e.pos >= 0 {
		heap.Remove(&t.queue, e.pos)
	}
	return true
}

// popDue takes the next due entry out of the heap; without one it returns how
// long to wait.
func (t *Table) popDue(now time.Time) (*entry, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		return nil, time.Hour
	}
	if d := t.queue[0].at.Sub(now); d > 0 {
		return nil, d
	}
	return heap.Pop(&t.queue).(*entry), 0
}

func (t *Table) putBack(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName[e.name] != e {
		return // deleted or replaced
	}
	if t.maxRuns > 0 && e.runs >= t.maxRuns {
		delete(t.byName, e.name)
		return
	}
	heap.Push(&t.queue, e)
}

// Run starts the jobs. There must be one Run only.
func (t *Table) Run(ctx context.Context) {
	for ctx.Err() == nil {
		now := time.Now()
		e, wait := t.popDue(now)
		if e != nil {
			go e.job(ctx)
			e.runs++
			e.at = e.sched.Next(now)
			t.putBack(e)
			continue
		}
		select {
		case <-ctx.Done():
		case <-t.changed:
		case <-time.After(wait):
		}
	}
}
