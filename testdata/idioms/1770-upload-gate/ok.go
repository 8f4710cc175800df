// Package a bounds the uploads that a build agent has under way.
package a

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// ErrBusy is returned by TryRun when there is no room.
var ErrBusy = errors.New("all upload slots are in use")

// Uploader sends an artifact to the store.
type Uploader interface {
	Upload(ctx context.Context, name string) error
}

// Gate admits as many uploads as it has slots. A value in the channel is a
// slot in use.
type Gate struct {
	slots chan struct{}
	peak  atomic.Int64
	waits atomic.Int64
	logf  func(format string, args ...any)
}

// NewGate returns a gate with n slots.
func NewGate(n int, logf func(string, ...any)) *Gate {
	return &Gate{slots: make(chan struct{}, max(n, 1)), logf: logf}
}

// InUse returns how many slots are in use at about this moment.
func (g *Gate) InUse() int { return len(g.slots) }

// Peak returns the highest use that was noticed.
func (g *Gate) Peak() int64 { return g.peak.Load() }

// Waits returns how often an upload met a full gate.
func (g *Gate) Waits() int64 { return g.waits.Load() }

// notePeak keeps the highest value.
func (g *Gate) notePeak() {
	n := int64(len(g.slots))
	for {
		p := g.peak.Load()
		if n <= p || g.peak.CompareAndSwap(p, n) {
			return
		}
	}
}

// tryAcquire takes a slot if one is free.
func (g *Gate) tryAcquire() bool {
	select {
	case g.slots <- struct{}{}:
		g.notePeak()
		return true
	default:
		return false
	}
}

// acquire waits for a slot.
func (g *Gate) acquire(ctx context.Context) error {
	if len(g.slots) == cap(g.slots) {
		// For the log and the counters; the send below is what decides.
		g.waits.Add(1)
		g.logf("upload gate is full (%d slots)", cap(g.slots))
	}
	select {
	case g.slots <- struct{}{}:
		g.notePeak()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Gate) release() { <-g.slots }

// Run calls fn with a slot and waits for one if need be.
func (g *Gate) Run(ctx context.Context, fn func(context.Context) error) error {
	if err := g.acquire(ctx); err != nil {
		return fmt.Errorf("upload slot: %w", err)
	}
	defer g.release()
	return fn(ctx)
}

// TryRun calls fn if there is a slot right now.
func (g *Gate) TryRun(ctx context.Context, fn func(context.Context) error) error {
	if !g.tryAcquire() {
		return ErrBusy
	}
	defer g.release()
	return fn(ctx)
}

// Agent uploads the artifacts of builds.
type Agent struct {
	gate    *Gate
	up      Uploader
	timeout time.Duration
}

// NewAgent returns an agent that uploads through the gate.
func NewAgent(g *Gate, up Uploader, timeout time.Duration) *Agent {
	return &Agent{gate: g, up: up, timeout: timeout}
}

// upload runs with a slot, for a limited time.
func (a *Agent) upload(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	return a.up.Upload(ctx, name)
}

// Publish uploads an artifact that the build needs.
func (a *Agent) Publish(ctx context.Context, name string) error {
	return a.gate.Run(ctx, func(ctx context.Context) error {
		return a.upload(ctx, name)
	})
}

// Prefetch uploads an artifact ahead of time; it is skipped when the agent is
// busy, since Publish will come for it anyway.
func (a *Agent) Prefetch(ctx context.Context, name string) error {
	err := a.gate.TryRun(ctx, func(ctx context.Context) error {
		return a.upload(ctx, name)
	})
	if errors.Is(err, ErrBusy) {
		return nil
	}
	return err
}
