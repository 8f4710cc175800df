// Package arbiter grants leases on shards to storage nodes.
package arbiter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Lease is the right to serve a shard.
type Lease struct {
	Shard   string
	Holder  string
	Epoch   uint64
	Expires time.Time
}

func (l Lease) live(now time.Time) bool { return l.Holder != "" && now.Before(l.Expires) }

// Log makes leases durable.
type Log interface {
	Append(Lease) error
}

// Errors of the arbiter.
var (
	ErrHeld     = errors.New("arbiter: lease is held")
	ErrShutdown = errors.New("arbiter: shut down")
)

type result struct {
	lease Lease
	err   error
}

type request struct {
	shard, node string
	reply       chan<- result
}

// Arbiter serves requests one after the other; dashboards read its table.
type Arbiter struct {
	wal      Log
	term     time.Duration
	log      *slog.Logger
	requests chan request
	done     chan struct{}

	mu     sync.RWMutex
	leases map[string]Lease
}

// Start returns an arbiter that runs until ctx is done.
func Start(ctx context.Context, wal Log, term time.Duration, log *slog.Logger) *Arbiter {
	a := &Arbiter{wal: wal, term: term, log: log, leases: make(map[string]Lease),
		requests: make(chan request), done: make(chan struct{})}
	go a.loop(ctx)
	return a
}

func (a *Arbiter) loop(ctx context.Context) {
	defer close(a.done)
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-a.requests:
			l, err := a.grant(r.shard, r.node)
			r.reply <- result{l, err}
		}
	}
}

// Acquire asks for a shard.
func (a *Arbiter) Acquire(ctx context.Context, shard, node string) (Lease, error) {
	reply := make(chan result, 1)
	select {
	case a.requests <- request{shard, node, reply}:
	case <-a.done:
		return Lease{}, ErrShutdown
	case <-ctx.Done():
		return Lease{}, ctx.Err()
	}
	r := <-reply
	return r.lease, r.err
}

// Holder returns who serves a shard.
func (a *Arbiter) Holder(shard string) (string, bool) {
	l := a.lookup(shard)
	return l.Holder, l.live(time.Now())
}

func (a *Arbiter) lookup(shard string) Lease {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.leases[shard]
}

func (a *Arbiter) grant(shard, node string) (Lease, error) {
	now := time.Now()
	old := a.lookup(shard)
	if old.live(now) && old.Holder != node {
		return old, fmt.Errorf("%w: %s by %s", ErrHeld, shard, old.Holder)
	}
	next := Lease{Shard: shard, Holder: node, Epoch: old.Epoch, Expires: now.Add(a.term)}
	if old.Holder != node {
		next.Epoch++
	}
	if err := a.wal.Append(next); err != nil {
		return old, fmt.Errorf("lease on %s: %w", shard, err)
	}
	a.mu.Lock()
	a.leases[shard] = next
	a.mu.Unlock()
	a.log.Info("lease granted", "shard", shard, "holder", node, "epoch", next.Epoch)
	return next, nil
}
