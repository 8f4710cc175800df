// Package picking assigns pick tasks to pickers.
package picking

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var ErrNone = errors.New("picking: no open task in reach")

type Task struct {
	ID    string
	Aisle int
	Due   time.Time

	picker   atomic.Pointer[string] // nil while the task is open
	finished atomic.Bool
}

func (t *Task) open() bool { return t.picker.Load() == nil }

// claim makes the picker the only owner of the task.
func (t *Task) claim(picker string) bool {
	return t.picker.CompareAndSwap(nil, &picker)
}

func (t *Task) Owner() string {
	if p := t.picker.Load(); p != nil {
		return *p
	}
	return ""
}

type Floor struct {
	mu    sync.RWMutex
	tasks []*Task
}

func (f *Floor) Add(t *Task) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tasks = append(f.tasks, t)
}

// candidates returns the open tasks, the nearest and most urgent ones first.
func (f *Floor) candidates(aisle, reach int) []*Task {
	f.mu.RLock()
	out := make([]*Task, 0, len(f.tasks))
	for _, t := range f.tasks {
		if t.open() && distance(t.Aisle, aisle) <= reach {
			out = append(out, t)
		}
	}
	f.mu.RUnlock()
	slices.SortFunc(out, func(a, b *Task) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(distance(a.Aisle, aisle), distance(b.Aisle, aisle)))
	})
	return out
}

func distance(a, b int) int { return max(a-b, b-a) }

// Next gives the picker a task near the aisle in which he stands.
func (f *Floor) Next(picker string, aisle, reach int) (*Task, error) {
	for _, t := range f.candidates(aisle, reach) {
		if !t.open() {
			continue
		}
		if t.claim(picker) {
			return t, nil
		}
	}
	return nil, ErrNone
}

// Finish is called by the owner.
func (f *Floor) Finish(t *Task) {
	if t.finished.CompareAndSwap(false, true) {
		f.compact()
	}
}

func (f *Floor) compact() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tasks = slices.DeleteFunc(f.tasks, func(t *Task) bool { return t.finished.Load() })
}
