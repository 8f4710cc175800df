// Package lease implements named leases for the workers of a job cluster: who
// holds the lease of a partition is the only one to process it.
package lease

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	// ErrNoLease is returned for a name nobody holds.
	ErrNoLease = errors.New("lease: not held by anyone")
	// ErrHeld is returned by Acquire while somebody else holds the lease.
	ErrHeld = errors.New("lease: held by another worker")
	// ErrNotHolder is returned to a worker that does not hold the lease.
	ErrNotHolder = errors.New("lease: not the holder")
	// ErrExpired is returned to a worker that came too late.
	ErrExpired = errors.New("lease: expired")
)

// grant is one lease.
type grant struct {
	holder  string
	since   time.Time
	expires time.Time
}

// Table is the set of leases. It is safe for concurrent use.
type Table struct {
	now func() time.Time

	mu     sync.RWMutex
	grants map[string]*grant
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{now: time.Now, grants: make(map[string]*grant)}
}

// view runs fn on the lease called name.
func (t *Table) view(name string, fn func(g grant) error) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	g, ok := t.grants[name]
	if !ok {
		return ErrNoLease
	}
	return fn(*g)
}

// update runs fn on the lease called name and lets it change the lease.
func (t *Table) update(name string, fn func(g *grant) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, ok := t.grants[name]
	if !ok {
		return ErrNoLease
	}
	return fn(g)
}

// Acquire gives holder the lease called name for ttl if nobody else has it. A
// lease past its end is taken over.
func (t *Table) Acquire(name, holder string, ttl time.Duration) (time.Time, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if g, ok := t.grants[name]; ok && g.holder != holder && now.Before(g.expires) {
		return time.Time{}, ErrHeld
	}
	g := &grant{holder: holder, since: now, expires: now.Add(ttl)}
	t.grants[name] = g
	return g.expires, nil
}

// Renew prolongs the lease called name by ttl from now and returns its new
// end. The worker may go on until then.
func (t *Table) Renew(name, holder string, ttl time.Duration) (time.Time, error) {
	var end time.Time
	err := t.update(name, func(g *grant) error {
		now := t.now()
		if g.holder != holder {
			return ErrNotHolder
		}
		if !now.Before(g.expires) {
			return ErrExpired
		}
		end = now.Add(ttl)
		g.expires = end
		return nil
	})
	if err != nil {
		return time.Time{}, err
	}
	return end, nil
}

// Release gives up the lease called name.
func (t *Table) Release(name, holder string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, ok := t.grants[name]
	if !ok {
		return ErrNoLease
	}
	if g.holder != holder {
		return ErrNotHolder
	}
	delete(t.grants, name)
	return nil
}

// Holder returns who holds the lease called name.
func (t *Table) Holder(name string) (string, error) {
	var holder string
	err := t.view(name, func(g grant) error {
		if !t.now().Before(g.expires) {
			return ErrExpired
		}
		holder = g.holder
		return nil
	})
	return holder, err
}

// sweep forgets the leases that ended before now.
func (t *Table) sweep(now time.Time) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for name, g := range t.grants {
		if !now.Before(g.expires) {
			delete(t.grants, name)
			n++
		}
	}
	return n
}

// Run sweeps the table until ctx ends.
func (t *Table) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			t.sweep(t.now())
		}
	}
}
