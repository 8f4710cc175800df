package proxy

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// ErrBackendClosed is returned by a backend which was removed.
var ErrBackendClosed = errors.New("proxy: backend closed")

// Dialer opens connections to one backend and owns its resources.
type Dialer interface {
	Dial(ctx context.Context) (net.Conn, error)
	Close() error
}

// Backend is one target.
type Backend struct {
	Addr   string
	dialer Dialer
	active atomic.Int64
	total  atomic.Int64
}

func (b *Backend) enter() {
	b.active.Add(1)
	b.total.Add(1)
}

func (b *Backend) exit() { b.active.Add(-1) }

// idle waits until all sessions are over.
func (b *Backend) idle(ctx context.Context) error {
	t := time.NewTicker(20 * time.Millisecond)
	defer t.Stop()
	for b.active.Load() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
	}
	return nil
}
