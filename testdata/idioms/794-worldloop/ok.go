// Package world simulates one zone of a game server.
package world

import (
	"context"
	"errors"
	"maps"
	"sync/atomic"
	"time"
)

// ErrStopped is returned when the zone is not running any more.
var ErrStopped = errors.New("world: zone stopped")

// Pos is a position in the zone.
type Pos struct{ X, Y int }

// View is an immutable picture of the zone.
type View struct {
	Tick    uint64
	Players map[string]Pos
}

type command func(players map[string]Pos)

// Zone is a running zone.
type Zone struct {
	commands chan command
	done     chan struct{}

	view atomic.Pointer[View]
	peak atomic.Int64
}

// Start runs a zone with the given tick until ctx ends.
func Start(ctx context.Context, tick time.Duration) *Zone {
	z := &Zone{commands: make(chan command), done: make(chan struct{})}
	z.view.Store(&View{Players: map[string]Pos{}})
	go z.loop(ctx, tick)
	return z
}

func (z *Zone) loop(ctx context.Context, tick time.Duration) {
	defer close(z.done)
	t := time.NewTicker(tick)
	defer t.Stop()
	var pending []command
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-z.commands:
			pending = append(pending, c)
		case <-t.C:
			z.step(pending)
			pending = pending[:0]
		}
	}
}

func (z *Zone) step(pending []command) {
	cur := z.view.Load()
	next := &View{Tick: cur.Tick + 1, Players: cur.Players}
	if len(pending) > 0 {
		next.Players = maps.Clone(cur.Players)
		for _, c := range pending {
			c(next.Players)
		}
	}
	if n := int64(len(next.Players)); n > z.peak.Load() {
		z.peak.Store(n)
	}
	z.view.Store(next)
}

func (z *Zone) do(ctx context.Context, c command) error {
	select {
	case z.commands <- c:
		return nil
	case <-z.done:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Enter places a player; it does nothing if the player is there already.
func (z *Zone) Enter(ctx context.Context, player string, at Pos) error {
	return z.do(ctx, func(players map[string]Pos) {
		if _, ok := players[player]; !ok {
			players[player] = at
		}
	})
}

// Leave removes a player.
func (z *Zone) Leave(ctx context.Context, player string) error {
	return z.do(ctx, func(players map[string]Pos) {
		delete(players, player)
	})
}

// Move shifts a player.
func (z *Zone) Move(ctx context.Context, player string, dx, dy int) error {
	return z.do(ctx, func(players map[string]Pos) {
		if p, ok := players[player]; ok {
			players[player] = Pos{p.X + dx, p.Y + dy}
		}
	})
}

// View returns the zone as of the last tick.
func (z *Zone) View() *View { return z.view.Load() }

// Peak returns the highest number of players so far.
func (z *Zone) Peak() int64 { return z.peak.Load() }
