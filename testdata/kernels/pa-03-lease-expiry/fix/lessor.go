package lease

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrLeaseNotFound is returned for a lease that does not exist.
var ErrLeaseNotFound = errors.New("lease: not found")

// ID names a lease.
type ID int64

// RangeDeleter deletes the keys of a lease from the store.
type RangeDeleter interface {
	DeleteKeys(keys []string)
}

type lease struct {
	id     ID
	ttl    time.Duration
	expiry time.Time
	keys   map[string]struct{}
}

func (l *lease) expired(now time.Time) bool { return !now.Before(l.expiry) }

// Lessor grants, renews and revokes leases.
type Lessor struct {
	rd       RangeDeleter
	minTTL   time.Duration
	expiredC chan []ID

	mu     sync.RWMutex
	leases map[ID]*lease
	owner  map[string]ID
}

// NewLessor returns a lessor that deletes through rd.
func NewLessor(rd RangeDeleter, minTTL time.Duration) *Lessor {
	return &Lessor{
		rd:       rd,
		minTTL:   minTTL,
		expiredC: make(chan []ID, 16),
		leases:   make(map[ID]*lease),
		owner:    make(map[string]ID),
	}
}

// Grant creates a lease.
func (le *Lessor) Grant(id ID, ttl time.Duration) error {
	ttl = max(ttl, le.minTTL)
	le.mu.Lock()
	defer le.mu.Unlock()
	if _, ok := le.leases[id]; ok {
		return errors.New("lease: already exists")
	}
	le.leases[id] = &lease{
		id:     id,
		ttl:    ttl,
		expiry: time.Now().Add(ttl),
		keys:   make(map[string]struct{}),
	}
	return nil
}

// Renew moves the deadline of the lease and returns its ttl.
func (le *Lessor) Renew(id ID) (time.Duration, error) {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leases[id]
	if !ok {
		return 0, ErrLeaseNotFound
	}
	l.expiry = time.Now().Add(l.ttl)
	return l.ttl, nil
}

// Attach binds key to the lease.
func (le *Lessor) Attach(id ID, key string) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leases[id]
	if !ok {
		return ErrLeaseNotFound
	}
	if old, ok := le.leases[le.owner[key]]; ok {
		delete(old.keys, key)
	}
	l.keys[key] = struct{}{}
	le.owner[key] = id
	return nil
}

// Revoke removes the lease and the keys attached to it.
func (le *Lessor) Revoke(id ID) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leases[id]
	if !ok {
		return ErrLeaseNotFound
	}
	le.removeLocked(l)
	return nil
}

// revokeExpired is Revoke for a lease that has run out.
func (le *Lessor) revokeExpired(id ID) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leases[id]
	if !ok {
		return ErrLeaseNotFound
	}
	if l.expired(time.Now()) {
		le.removeLocked(l)
	}
	return nil
}

func (le *Lessor) removeLocked(l *lease) {
	keys := make([]string, 0, len(l.keys))
	for k := range l.keys {
		keys = append(keys, k)
		delete(le.owner, k)
	}
	delete(le.leases, l.id)
	le.rd.DeleteKeys(keys)
}

// Run looks for expired leases until ctx is done.
func (le *Lessor) Run(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			ids := le.findExpired(now, 1000)
			if len(ids) == 0 {
				continue
			}
			select {
			case le.expiredC <- ids:
			default:
				// The server is behind, it gets them with the next tick.
			}
		}
	}
}

func (le *Lessor) findExpired(now time.Time, limit int) []ID {
	le.mu.RLock()
	defer le.mu.RUnlock()
	var ids []ID
	for id, l := range le.leases {
		if l.expired(now) {
			ids = append(ids, id)
			if len(ids) == limit {
				break
			}
		}
	}
	return ids
}
