// Package a grants leases to the keys of a store.
package a

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrLeaseNotFound = errors.New("lease: not found")
	ErrLeaseExists   = errors.New("lease: exists already")
	ErrLeaseExpired  = errors.New("lease: expired, about to be revoked")
	ErrNotPrimary    = errors.New("lease: not the primary lessor")
)

// LeaseID names a lease.
type LeaseID int64

// Lease binds keys to a time to live. Its fields are guarded by the lessor.
type Lease struct {
	id        LeaseID
	ttl       time.Duration
	remaining time.Duration // of the last checkpoint, 0 for the full ttl
	expiry    time.Time
	keys      map[string]struct{}
}

type item struct {
	id LeaseID
	at time.Time
}

type expiryQueue []item

func (q expiryQueue) Len() int           { return len(q) }
func (q expiryQueue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q expiryQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *expiryQueue) Push(x any)        { *q = append(*q, x.(item)) }
func (q *expiryQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// Checkpointer replicates the remaining time of a lease.
type Checkpointer func(ctx context.Context, id LeaseID, remaining time.Duration) error

// Lessor owns the leases.
type Lessor struct {
	checkpoint Checkpointer
	remove     func(keys []string)

	mu      sync.Mutex
	primary bool
	leases  map[LeaseID]*Lease
	queue   expiryQueue // may hold outdated items

	renewals atomic.Uint64
	revoked  atomic.Uint64
}

// NewLessor returns a lessor that is not primary. remove deletes
// keys; it is called with the lock held.
func NewLessor(cp Checkpointer, remove func(keys []string)) *Lessor {
	return &Lessor{checkpoint: cp, remove: remove, leases: make(map[LeaseID]*Lease)}
}

// Grant creates a lease.
func (le *Lessor) Grant(id LeaseID, ttl time.Duration) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	if _, ok := le.leases[id]; ok {
		return ErrLeaseExists
	}
	l := &Lease{id: id, ttl: ttl, keys: make(map[string]struct{})}
	le.leases[id] = l
	if le.primary {
		le.extend(l)
	}
	return nil
}

// extend gives the lease its time and queues it; the lock is held.
func (le *Lessor) extend(l *Lease) {
	d := l.ttl
	if l.remaining > 0 {
		d = l.remaining
	}
	l.expiry = time.Now().Add(d)
	heap.Push(&le.queue, item{l.id, l.expiry})
}

// Attach binds a key to a lease.
func (le *Lessor) Attach(id LeaseID, key string) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leases[id]
	if !ok {
		return ErrLeaseNotFound
	}
	l.keys[key] = struct{}{}
	return nil
}

// Renew starts the time of a lease anew and returns it.
func (le *Lessor) Renew(ctx context.Context, id LeaseID) (time.Duration, error) {
	le.mu.Lock()
	if !le.primary {
		le.mu.Unlock()
		return 0, ErrNotPrimary
	}
	l, ok := le.leases[id]
	if !ok {
		le.mu.Unlock()
		return 0, ErrLeaseNotFound
	}
	if !time.Now().Before(l.expiry) {
		le.mu.Unlock()
		return 0, ErrLeaseExpired
	}
	clearCp := l.remaining > 0 && le.checkpoint != nil
	le.mu.Unlock()

	// The followers must forget the shortened time first.
	if clearCp {
		if err := le.checkpoint(ctx, id, 0); err != nil {
			return 0, err
		}
	}

	le.mu.Lock()
	defer le.mu.Unlock()
	if !le.primary {
		return 0, ErrNotPrimary
	}
	if le.leases[id] != l {
		return 0, ErrLeaseNotFound
	}
	if !time.Now().Before(l.expiry) {
		return 0, ErrLeaseExpired
	}
	l.remaining = 0
	le.extend(l)
	le.renewals.Add(1)
	return l.ttl, nil
}

// Revoke ends a lease and deletes its keys.
func (le *Lessor) Revoke(id LeaseID) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leases[id]
	if !ok {
		return ErrLeaseNotFound
	}
	delete(le.leases, id)
	keys := make([]string, 0, len(l.keys))
	for k := range l.keys {
		keys = append(keys, k)
	}
	le.remove(keys)
	le.revoked.Add(1)
	return nil
}

// Checkpoint applies a replicated remaining time.
func (le *Lessor) Checkpoint(id LeaseID, remaining time.Duration) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l, ok := le.leases[id]
	if !ok {
		return ErrLeaseNotFound
	}
	l.remaining = remaining
	return nil
}

// Promote makes this lessor primary; every lease gets its time again.
func (le *Lessor) Promote() {
	le.mu.Lock()
	defer le.mu.Unlock()
	le.primary = true
	le.queue = nil
	for _, l := range le.leases {
		le.extend(l)
	}
}

// Demote stops the expiry.
func (le *Lessor) Demote() {
	le.mu.Lock()
	defer le.mu.Unlock()
	le.primary = false
	le.queue = nil
}

// Expired returns the leases that are to be revoked through the log.
func (le *Lessor) Expired() []LeaseID {
	le.mu.Lock()
	defer le.mu.Unlock()
	now := time.Now()
	var out []LeaseID
	for len(le.queue) > 0 && !le.queue[0].at.After(now) {
		it := heap.Pop(&le.queue).(item)
		if l, ok := le.leases[it.id]; ok && l.expiry.Equal(it.at) {
			out = append(out, it.id)
		}
	}
	return out
}
