// Package cranes spreads the moves of a container yard over its cranes.
package cranes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrBusy says that every crane that could do the move has its hands full.
var ErrBusy = errors.New("cranes: all suitable cranes are busy")

// CraneID names a crane.
type CraneID string

// Move takes one container from one slot to another.
type Move struct {
	Container string
	From, To  string
	Tons      int
}

// Driver is the remote control of the cranes. A crane buffers as many moves
// as it has been built for and trips its interlock when given more.
type Driver interface {
	Execute(ctx context.Context, crane CraneID, m Move) error
}

// craneInfo describes a crane; it does not change.
type craneInfo struct {
	id    CraneID
	tons  int // what it can lift
	depth int // moves it can have at a time
}

// activity counts the moves under way on every crane. The token in lock is
// taken while counts is read or written.
type activity struct {
	lock   chan struct{}
	counts map[CraneID]int
}

func newActivity() *activity {
	a := &activity{lock: make(chan struct{}, 1), counts: make(map[CraneID]int)}
	a.lock <- struct{}{}
	return a
}

// acquire counts a move for the crane with the fewest moves among those that
// have room for one more, and returns that crane.
func (a *activity) acquire(from []craneInfo) (CraneID, bool) {
	<-a.lock
	defer func() { a.lock <- struct{}{} }()
	best, found := craneInfo{}, false
	for _, c := range from {
		n := a.counts[c.id]
		if n >= c.depth {
			continue
		}
		if !found || n < a.counts[best.id] {
			best, found = c, true
		}
	}
	if found {
		a.counts[best.id]++
	}
	return best.id, found
}

// done counts a move that the crane has finished.
func (a *activity) done(id CraneID) {
	<-a.lock
	a.counts[id]--
	a.lock <- struct{}{}
}

// snapshot copies the counts.
func (a *activity) snapshot() map[CraneID]int {
	<-a.lock
	defer func() { a.lock <- struct{}{} }()
	out := make(map[CraneID]int, len(a.counts))
	for id, n := range a.counts {
		if n > 0 {
			out[id] = n
		}
	}
	return out
}

// Yard gives moves to cranes. It is safe for concurrent use once the cranes
// have been added.
type Yard struct {
	drv    Driver
	cranes []craneInfo
	act    *activity
}

// NewYard returns a yard without cranes.
func NewYard(drv Driver) *Yard {
	return &Yard{drv: drv, act: newActivity()}
}

// AddCrane adds a crane during set-up.
func (y *Yard) AddCrane(id CraneID, tons, depth int) {
	y.cranes = append(y.cranes, craneInfo{id: id, tons: tons, depth: depth})
}

// Do has one move carried out and returns when it is finished.
func (y *Yard) Do(ctx context.Context, m Move) error {
	able := slices.Clone(y.cranes)
	able = slices.DeleteFunc(able, func(c craneInfo) bool { return c.tons < m.Tons })
	id, ok := y.act.acquire(able)
	if !ok {
		return fmt.Errorf("%w: %s, %d t", ErrBusy, m.Container, m.Tons)
	}
	defer y.act.done(id)
	if err := y.drv.Execute(ctx, id, m); err != nil {
		return fmt.Errorf("cranes: %s: %s: %w", id, m.Container, err)
	}
	return nil
}

// DoAll carries out independent moves at the same time and returns the errors
// of those that failed.
func (y *Yard) DoAll(ctx context.Context, moves []Move) error {
	errs := make([]error, len(moves))
	var wg sync.WaitGroup
	for i, m := range moves {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = y.Do(ctx, m)
		}()
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Load returns the number of moves under way on the cranes that are busy.
func (y *Yard) Load() map[CraneID]int { return y.act.snapshot() }
