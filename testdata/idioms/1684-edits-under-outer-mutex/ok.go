// Package a publishes the timetable of a bus line.
package a

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Departure is minutes after midnight.
type Departure int

// Checker asks the depot whether a set of departures can be staffed. It may
// take seconds.
type Checker interface {
	Feasible(ctx context.Context, deps []Departure) error
}

// Timetable is read by displays all the time and edited by planners.
type Timetable struct {
	checker Checker

	// edit is held for the whole of an edit, and by nobody else.
	edit sync.Mutex

	// mu guards the fields below. It is held briefly. They change only
	// while edit is held too.
	mu      sync.RWMutex
	deps    []Departure
	changed time.Time
}

// NewTimetable returns a timetable without departures.
func NewTimetable(c Checker) *Timetable {
	return &Timetable{checker: c}
}

// Departures returns a copy of the departures.
func (t *Timetable) Departures() []Departure {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.deps)
}

// Next returns the first departure at or after the given time.
func (t *Timetable) Next(at Departure) (Departure, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i, _ := slices.BinarySearch(t.deps, at)
	if i == len(t.deps) {
		return 0, false
	}
	return t.deps[i], true
}

func (t *Timetable) publish(deps []Departure) {
	t.mu.Lock()
	t.deps = deps
	t.changed = time.Now()
	t.mu.Unlock()
}

// Add inserts a departure if the depot can staff it.
func (t *Timetable) Add(ctx context.Context, d Departure) error {
	if d < 0 || d >= 24*60 {
		return fmt.Errorf("bad departure %d", d)
	}
	t.edit.Lock()
	defer t.edit.Unlock()
	deps := t.Departures()
	i, found := slices.BinarySearch(deps, d)
	if found {
		return errors.New("departure exists")
	}
	deps = slices.Insert(deps, i, d)
	if err := t.checker.Feasible(ctx, deps); err != nil {
		return fmt.Errorf("add %d: %w", d, err)
	}
	t.publish(deps)
	return nil
}

// Cancel removes a departure.
func (t *Timetable) Cancel(d Departure) error {
	t.edit.Lock()
	defer t.edit.Unlock()
	deps := t.Departures()
	i, found := slices.BinarySearch(deps, d)
	if !found {
		return errors.New("no such departure")
	}
	t.publish(slices.Delete(deps, i, i+1))
	return nil
}
