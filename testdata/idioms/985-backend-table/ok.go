// Package balance spreads requests over the backends of a service.
package balance

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNoBackend is returned by Pick.
var ErrNoBackend = errors.New("balance: no healthy backend")

type backend struct {
	addr    string
	healthy bool
}

// table is an immutable set of backends.
type table struct {
	all  []backend
	live []string // addresses of the healthy ones
}

func newTable(all []backend) *table {
	t := &table{all: all}
	for _, b := range all {
		if b.healthy {
			t.live = append(t.live, b.addr)
		}
	}
	return t
}

// Balancer is safe for concurrent use. Pick does not take locks.
type Balancer struct {
	probe func(ctx context.Context, addr string) error
	turn  atomic.Uint64

	mu  sync.Mutex // held by those who replace the table
	tab atomic.Pointer[table]
}

// New starts a balancer that probes its backends until ctx is done.
func New(ctx context.Context, every time.Duration, probe func(context.Context, string) error) *Balancer {
	b := &Balancer{probe: probe}
	b.tab.Store(newTable(nil))
	go b.watch(ctx, every)
	return b
}

// Pick returns the address of the next healthy backend.
func (b *Balancer) Pick() (string, error) {
	live := b.tab.Load().live
	if len(live) == 0 {
		return "", ErrNoBackend
	}
	return live[b.turn.Add(1)%uint64(len(live))], nil
}

// Add puts a backend into the table, if it is not there yet. It is taken to be
// healthy at first.
func (b *Balancer) Add(addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.index(addr) >= 0 {
		return
	}
	b.publish(append(b.copy(), backend{addr: addr, healthy: true}))
}

// Remove takes a backend out of the table.
func (b *Balancer) Remove(addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.index(addr); i >= 0 {
		b.publish(slices.Delete(b.copy(), i, i+1))
	}
}

// The following three are called with b.mu held.

func (b *Balancer) index(addr string) int {
	return slices.IndexFunc(b.tab.Load().all, func(x backend) bool { return x.addr == addr })
}

func (b *Balancer) copy() []backend { return slices.Clone(b.tab.Load().all) }

func (b *Balancer) publish(all []backend) { b.tab.Store(newTable(all)) }

func (b *Balancer) watch(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			for _, x := range b.tab.Load().all {
				err := b.probe(ctx, x.addr)
				if ctx.Err() == nil {
					b.mark(x.addr, err == nil)
				}
			}
		}
	}
}

// mark records the outcome of a probe. The backend may be gone by now.
func (b *Balancer) mark(addr string, healthy bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := b.index(addr)
	if i < 0 || b.tab.Load().all[i].healthy == healthy {
		return
	}
	all := b.copy()
	all[i].healthy = healthy
	b.publish(all)
}
