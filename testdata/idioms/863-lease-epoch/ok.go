// Package leases keeps the leases that a process holds with a coordination
// service and renews them in the background.
package leases

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrLost is returned by Acquire when a newer grant of the lease is known.
var ErrLost = errors.New("leases: grant is outdated")

// Coordinator is the coordination service. An epoch identifies one grant of a
// lease; later grants of the same lease have higher epochs. The calls take
// network round trips.
type Coordinator interface {
	Grant(ctx context.Context, name string, ttl time.Duration) (epoch uint64, err error)
	Renew(ctx context.Context, name string, epoch uint64, ttl time.Duration) error
	Revoke(ctx context.Context, name string, epoch uint64) error
}

// lease is one grant.
type lease struct {
	epoch   uint64
	expires time.Time
}

// Keeper is safe for concurrent use.
type Keeper struct {
	coord Coordinator
	ttl   time.Duration

	mu     sync.Mutex
	leases map[string]lease
}

// NewKeeper returns a keeper without leases.
func NewKeeper(c Coordinator, ttl time.Duration) *Keeper {
	return &Keeper{coord: c, ttl: ttl, leases: make(map[string]lease)}
}

// Acquire asks for a lease and returns the epoch of the grant. The holder
// attaches the epoch to its requests; the resources refuse older epochs.
func (k *Keeper) Acquire(ctx context.Context, name string) (uint64, error) {
	asked := time.Now()
	epoch, err := k.coord.Grant(ctx, name, k.ttl)
	if err != nil {
		return 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if l, ok := k.leases[name]; ok && l.epoch > epoch {
		return 0, ErrLost
	}
	k.leases[name] = lease{epoch: epoch, expires: asked.Add(k.ttl)}
	return epoch, nil
}

// Release gives a lease back if it is still the grant of the given epoch.
func (k *Keeper) Release(ctx context.Context, name string, epoch uint64) error {
	if !k.forget(name, epoch) {
		return nil
	}
	return k.coord.Revoke(ctx, name, epoch)
}

// Held returns the epoch of a lease that has not expired.
func (k *Keeper) Held(name string) (uint64, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok := k.leases[name]
	if !ok || !time.Now().Before(l.expires) {
		return 0, false
	}
	return l.epoch, true
}

// Run renews the leases at an interval until the context ends.
func (k *Keeper) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for name, epoch := range k.epochs() {
				k.renew(ctx, name, epoch)
			}
		}
	}
}

// renew extends one grant. A grant that cannot be renewed any more is dropped
// once it has expired.
func (k *Keeper) renew(ctx context.Context, name string, epoch uint64) {
	asked := time.Now()
	if err := k.coord.Renew(ctx, name, epoch, k.ttl); err != nil {
		k.expire(name, epoch)
		return
	}
	k.extend(name, epoch, asked.Add(k.ttl))
}

// epochs returns the current grant of every lease.
func (k *Keeper) epochs() map[string]uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := make(map[string]uint64, len(k.leases))
	for name, l := range k.leases {
		list[name] = l.epoch
	}
	return list
}

// extend moves the expiry of a grant.
func (k *Keeper) extend(name string, epoch uint64, expires time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok := k.leases[name]
	if !ok || l.epoch != epoch || !expires.After(l.expires) {
		return
	}
	l.expires = expires
	k.leases[name] = l
}

// expire removes a grant that has run out.
func (k *Keeper) expire(name string, epoch uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l, ok := k.leases[name]; ok && l.epoch == epoch && time.Now().After(l.expires) {
		delete(k.leases, name)
	}
}

// forget removes a grant. It reports whether the lease was of that epoch.
func (k *Keeper) forget(name string, epoch uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l, ok := k.leases[name]; !ok || l.epoch != epoch {
		return false
	}
	delete(k.leases, name)
	return true
}
