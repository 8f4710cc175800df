// Package leases hands partitions to the workers of a cluster for a time.
package leases

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrHeld is returned by Acquire while another worker has the partition.
	ErrHeld = errors.New("leases: held by another worker")
	// ErrLost is returned to a worker that no longer has the partition.
	ErrLost = errors.New("leases: lease lost")
)

// grant is one state of a lease. It is never modified; a change makes a new
// one.
type grant struct {
	holder  string
	fence   uint64
	expires time.Time
}

// Lease is the lease of one partition.
type Lease struct {
	cur atomic.Pointer[grant] // nil before the first Acquire
}

// Acquire gives the lease to worker and returns the fencing number.
func (l *Lease) Acquire(worker string, ttl time.Duration) (uint64, error) {
	g := l.cur.Load()
	now := time.Now()
	next := &grant{holder: worker, fence: 1, expires: now.Add(ttl)}
	if g != nil {
		if now.Before(g.expires) {
			return 0, ErrHeld
		}
		next.fence = g.fence + 1
	}
	if !l.cur.CompareAndSwap(g, next) {
		return 0, ErrHeld
	}
	return next.fence, nil
}

// current returns the grant numbered fence if it has not ended.
func (l *Lease) current(fence uint64, now time.Time) (*grant, error) {
	g := l.cur.Load()
	if g == nil || g.fence != fence || !now.Before(g.expires) {
		return nil, ErrLost
	}
	return g, nil
}

// replace puts next in the place of g.
func (l *Lease) replace(g, next *grant) error {
	if !l.cur.CompareAndSwap(g, next) {
		return ErrLost
	}
	return nil
}

// Renew prolongs the lease. Only the worker that got fence calls it, from its
// heartbeat loop.
func (l *Lease) Renew(fence uint64, ttl time.Duration) (time.Time, error) {
	now := time.Now()
	g, err := l.current(fence, now)
	if err != nil {
		return time.Time{}, err
	}
	next := &grant{holder: g.holder, fence: fence, expires: now.Add(ttl)}
	if err := l.replace(g, next); err != nil {
		return time.Time{}, err
	}
	return next.expires, nil
}

// Release ends the lease at once.
func (l *Lease) Release(fence uint64) error {
	now := time.Now()
	g, err := l.current(fence, now)
	if err != nil {
		return err
	}
	return l.replace(g, &grant{holder: g.holder, fence: fence, expires: now})
}

// Holder returns who has the lease.
func (l *Lease) Holder() (string, bool) {
	g := l.cur.Load()
	if g == nil || !time.Now().Before(g.expires) {
		return "", false
	}
	return g.holder, true
}

// Table holds the leases of all partitions. Leases are never removed.
type Table struct {
	leases sync.Map // partition -> *Lease
}

// Lease returns the lease of a partition.
func (t *Table) Lease(partition string) *Lease {
	if v, ok := t.leases.Load(partition); ok {
		return v.(*Lease)
	}
	v, _ := t.leases.LoadOrStore(partition, new(Lease))
	return v.(*Lease)
}

// Hold acquires the lease of partition for worker and runs fn, renewing the
// lease meanwhile. The context of fn ends when the lease is lost.
func (t *Table) Hold(ctx context.Context, partition, worker string, ttl time.Duration, fn func(ctx context.Context, fence uint64) error) error {
	l := t.Lease(partition)
	fence, err := l.Acquire(worker, ttl)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		tick := time.NewTicker(ttl / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if _, err := l.Renew(fence, ttl); err != nil {
					cancel(err)
					return
				}
			}
		}
	}()
	err = fn(ctx, fence)
	cancel(nil)
	wg.Wait()
	return errors.Join(err, l.Release(fence))
}
