// Package arena simulates one match. Commands of the players are gathered
// between ticks and applied by the simulation.
package arena

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Errors returned by Send.
var (
	ErrFlood = errors.New("arena: too many commands in this tick")
	ErrOver  = errors.New("arena: match is over")
)

const maxPending = 4096

// Command is what a player wants to do.
type Command struct {
	Player string
	Kind   string // "join", "move" or "leave"
	DX, DY float64
}

// Unit is the figure of a player.
type Unit struct {
	X, Y float64
}

// Frame is the world after a tick. It is not changed once it is shown.
type Frame struct {
	Tick  int
	Units map[string]Unit
}

// Arena is one match. Send and Frame are safe for concurrent use.
type Arena struct {
	mu      sync.Mutex
	pending []Command
	spare   []Command
	over    bool

	frame atomic.Pointer[Frame]

	// Used by the simulation goroutine only.
	tick  int
	units map[string]Unit
}

// New returns a match and starts its simulation, which runs until ctx ends.
func New(ctx context.Context, period time.Duration) *Arena {
	a := &Arena{units: make(map[string]Unit)}
	a.frame.Store(&Frame{})
	go a.simulate(ctx, period)
	return a
}

// Send queues a command for the next tick.
func (a *Arena) Send(c Command) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return ErrOver
	}
	if len(a.pending) >= maxPending {
		return ErrFlood
	}
	a.pending = append(a.pending, c)
	return nil
}

// Frame returns the latest frame.
func (a *Arena) Frame() *Frame { return a.frame.Load() }

func (a *Arena) simulate(ctx context.Context, period time.Duration) {
	clock := time.NewTicker(period)
	defer clock.Stop()
	for {
		select {
		case <-clock.C:
			a.step()
		case <-ctx.Done():
			a.finish()
			a.step()
			return
		}
	}
}

// step applies what was queued and shows the next frame.
func (a *Arena) step() {
	batch := a.drain()
	for _, c := range batch {
		a.apply(c)
	}
	a.recycle(batch)
	a.tick++
	a.show()
}

// drain takes the queue and leaves an empty one.
func (a *Arena) drain() []Command {
	a.mu.Lock()
	defer a.mu.Unlock()
	batch := a.pending
	a.pending, a.spare = a.spare, nil
	return batch
}

// recycle keeps the memory of a batch for a later tick.
func (a *Arena) recycle(batch []Command) {
	clear(batch)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spare = batch[:0]
}

// finish refuses further commands.
func (a *Arena) finish() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

func (a *Arena) apply(c Command) {
	u, ok := a.units[c.Player]
	switch {
	case c.Kind == "join" && !ok:
		a.units[c.Player] = Unit{}
	case c.Kind == "move" && ok:
		u.X += c.DX
		u.Y += c.DY
		a.units[c.Player] = u
	case c.Kind == "leave" && ok:
		delete(a.units, c.Player)
	}
}

// show publishes a copy of the world.
func (a *Arena) show() {
	f := &Frame{Tick: a.tick, Units: make(map[string]Unit, len(a.units))}
	for name, u := range a.units {
		f.Units[name] = u
	}
	a.frame.Store(f)
}
