// Package lease hands out named, time-bound leases to the workers of a cluster.
package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	// ErrHeld is returned when another owner holds an unexpired lease.
	ErrHeld = errors.New("lease: held by another owner")
	// ErrLost is returned to an owner whose lease ran out.
	ErrLost = errors.New("lease: lost")
)

// Grant describes who holds a lease, until when, and under which fencing token.
type Grant struct {
	Owner   string
	Token   uint64
	Expires time.Time
}

// Table keeps all leases of one coordinator.
type Table struct {
	sync.Mutex
	grants map[string]Grant
	token  uint64
	now    func() time.Time
}

// NewTable returns an empty table. A nil clock means time.Now.
func NewTable(clock func() time.Time) *Table {
	if clock == nil {
		clock = time.Now
	}
	return &Table{grants: make(map[string]Grant), now: clock}
}

// Acquire takes the lease for owner if it is free or has expired.
func (t *Table) Acquire(name, owner string, ttl time.Duration) (uint64, error) {
	t.Lock()
	defer t.Unlock()
	now := t.now()
	if g, ok := t.grants[name]; ok && now.Before(g.Expires) {
		return 0, fmt.Errorf("%w: %s by %s", ErrHeld, name, g.Owner)
	}
	t.token++
	t.grants[name] = Grant{Owner: owner, Token: t.token, Expires: now.Add(ttl)}
	return t.token, nil
}

// live returns the grant of name unless it has expired.
func (t *Table) live(name string) (Grant, bool) {
	t.Lock()
	defer t.Unlock()
	g, ok := t.grants[name]
	if !ok || !t.now().Before(g.Expires) {
		return Grant{}, false
	}
	return g, true
}

// install records a grant, as read from a snapshot or granted here.
func (t *Table) install(name string, g Grant) {
	t.Lock()
	defer t.Unlock()
	t.grants[name] = g
	t.token = max(t.token, g.Token)
}

// Restore loads the grants of a snapshot before the coordinator serves.
func (t *Table) Restore(snapshot map[string]Grant) {
	for name, g := range snapshot {
		t.install(name, g)
	}
}

// Owner reports the present holder of a lease.
func (t *Table) Owner(name string) (string, bool) {
	g, ok := t.live(name)
	return g.Owner, ok
}

// Renew extends a lease that the owner still holds.
func (t *Table) Renew(name, owner string, ttl time.Duration) error {
	t.Lock()
	defer t.Unlock()
	now := t.now()
	g, ok := t.grants[name]
	if !ok || g.Owner != owner || !now.Before(g.Expires) {
		return fmt.Errorf("%w: %s", ErrLost, name)
	}
	g.Expires = now.Add(ttl)
	t.grants[name] = g
	return nil
}

// Release gives a lease back before its time.
func (t *Table) Release(name, owner string, token uint64) {
	t.Lock()
	defer t.Unlock()
	if g, ok := t.grants[name]; ok && g.Owner == owner && g.Token == token {
		delete(t.grants, name)
	}
}

// KeepAlive renews the lease every third of its ttl until ctx ends or the lease is lost.
func (t *Table) KeepAlive(ctx context.Context, name, owner string, ttl time.Duration) <-chan error {
	lost := make(chan error, 1)
	go func() {
		defer close(lost)
		tick := time.NewTicker(ttl / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := t.Renew(name, owner, ttl); err != nil {
					lost <- err
					return
				}
			}
		}
	}()
	return lost
}
