// Package seating assigns groups to tables. Hosts work out proposals in
// parallel, on views that may be old; one goroutine accepts or rejects them.
package seating

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

var (
	// ErrFull is returned when no table has room.
	ErrFull = errors.New("no table has room")
	// ErrStopped is returned when the planner is not running any more.
	ErrStopped = errors.New("planner has stopped")
)

// View is the state at one index. Views are not changed once published.
type View struct {
	Index uint64
	Free  map[string]int // seats by table
}

// Proposal is what a host would like to do.
type Proposal struct {
	Table string
	Seats int
}

type result struct {
	accepted bool
	index    uint64 // of the view the answer is based on
}

type pending struct {
	p   Proposal
	res chan result
}

// Planner owns the state.
type Planner struct {
	view    atomic.Pointer[View]
	queue   chan pending
	stopped chan struct{}

	mu      sync.Mutex
	changed chan struct{} // closed and replaced with every new view
}

// NewPlanner returns a planner for tables with the given seats. It works while
// Run is running.
func NewPlanner(seats map[string]int) *Planner {
	pl := &Planner{
		queue:   make(chan pending),
		stopped: make(chan struct{}),
		changed: make(chan struct{}),
	}
	pl.view.Store(&View{Index: 1, Free: maps.Clone(seats)})
	return pl
}

// View returns the present view.
func (pl *Planner) View() *View { return pl.view.Load() }

// Run handles the proposals, one at a time and in order. It must be called
// once.
func (pl *Planner) Run(ctx context.Context) {
	defer close(pl.stopped)
	for {
		select {
		case pd := <-pl.queue:
			v := pl.view.Load()
			if v.Free[pd.p.Table] < pd.p.Seats {
				pd.res <- result{false, v.Index}
				continue
			}
			pl.publish(pd.p, v)
			pd.res <- result{true, v.Index + 1}
		case <-ctx.Done():
			return
		}
	}
}

// publish makes the view after p, which has been checked against v.
func (pl *Planner) publish(p Proposal, v *View) {
	next := &View{Index: v.Index + 1, Free: maps.Clone(v.Free)}
	next.Free[p.Table] -= p.Seats

	pl.mu.Lock()
	defer pl.mu.Unlock()
	pl.view.Store(next)
	close(pl.changed)
	pl.changed = make(chan struct{})
}

func (pl *Planner) submit(p Proposal) (result, error) {
	pd := pending{p: p, res: make(chan result, 1)}
	select {
	case pl.queue <- pd:
		return <-pd.res, nil
	case <-pl.stopped:
		return result{}, ErrStopped
	}
}

// waitFor returns a view that is not older than index.
func (pl *Planner) waitFor(index uint64) (*View, error) {
	for {
		pl.mu.Lock()
		v, changed := pl.view.Load(), pl.changed
		pl.mu.Unlock()
		if v.Index >= index {
			return v, nil
		}
		select {
		case <-changed:
		case <-pl.stopped:
			return nil, ErrStopped
		}
	}
}

// Seat finds a table for a group and returns its name. It may be called by
// many hosts at a time.
func (pl *Planner) Seat(group int) (string, error) {
	v := pl.View()
	for {
		table := best(v, group)
		if table == "" {
			return "", ErrFull
		}
		res, err := pl.submit(Proposal{Table: table, Seats: group})
		if err != nil {
			return "", err
		}
		if res.accepted {
			return table, nil
		}
		// Somebody was faster: try again with what they left.
		if v, err = pl.waitFor(res.index); err != nil {
			return "", err
		}
	}
}

// Leave gives the seats of a group back.
func (pl *Planner) Leave(table string, group int) error {
	_, err := pl.submit(Proposal{Table: table, Seats: -group})
	return err
}

// best returns the table with the least room to spare.
func best(v *View, group int) string {
	table := ""
	for _, name := range slices.Sorted(maps.Keys(v.Free)) {
		if v.Free[name] >= group && (table == "" || v.Free[name] < v.Free[table]) {
			table = name
		}
	}
	return table
}
