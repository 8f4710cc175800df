package gateway

import (
	"context"
	"sync/atomic"
	"time"
)

// gate admits requests up to a limit and can be drained.
type gate struct {
	limit    int64
	inflight atomic.Int64
	draining atomic.Bool
	shed     atomic.Int64
}

// enter admits a request. The caller must leave when the request is done.
func (g *gate) enter() error {
	if g.draining.Load() {
		return ErrDraining
	}
	if g.inflight.Add(1) > g.limit {
		g.leave()
		g.shed.Add(1)
		return ErrOverloaded
	}
	return nil
}

func (g *gate) leave() { g.inflight.Add(-1) }

// drain turns new requests away and waits until the admitted ones are done.
func (g *gate) drain(ctx context.Context) error {
	g.draining.Store(true)
	t := time.NewTicker(5 * time.Millisecond)
	defer t.Stop()
	for g.inflight.Load() != 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
	return nil
}
