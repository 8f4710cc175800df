// Package leaserevoke grants leases and revokes those that are not kept alive.
package leaserevoke

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrNotFound is returned for a lease that does not exist any more.
var ErrNotFound = errors.New("leaserevoke: no such lease")

// ID names a lease.
type ID int64

type lease struct {
	ttl      time.Duration
	deadline time.Time
	keys     []string
}

// Lessor owns all leases.
type Lessor struct {
	revoked func(id ID, keys []string)
	pace    time.Duration

	mu     sync.RWMutex
	leases map[ID]*lease
	last   ID
}

// New returns a lessor that calls revoked with the keys of each lease that
// ends, and waits for pace between two expired leases.
func New(revoked func(ID, []string), pace time.Duration) *Lessor {
	return &Lessor{revoked: revoked, pace: pace, leases: make(map[ID]*lease)}
}

// Grant creates a lease.
func (l *Lessor) Grant(ttl time.Duration) ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.leases[l.last] = &lease{ttl: ttl, deadline: time.Now().Add(ttl)}
	return l.last
}

// KeepAlive extends a lease by its time to live.
func (l *Lessor) KeepAlive(id ID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	le, ok := l.leases[id]
	if !ok {
		return ErrNotFound
	}
	le.deadline = time.Now().Add(le.ttl)
	return nil
}

// Attach binds a key to the life of a lease.
func (l *Lessor) Attach(id ID, key string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	le, ok := l.leases[id]
	if !ok {
		return ErrNotFound
	}
	le.keys = append(le.keys, key)
	return nil
}

// Revoke ends a lease at once.
func (l *Lessor) Revoke(id ID) error {
	l.mu.Lock()
	le, ok := l.leases[id]
	delete(l.leases, id)
	l.mu.Unlock()
	if !ok {
		return ErrNotFound
	}
	l.revoked(id, le.keys)
	return nil
}

// overdue lists the leases whose deadline is not after now.
func (l *Lessor) overdue(now time.Time) []ID {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var ids []ID
	for id, le := range l.leases {
		if !le.deadline.After(now) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (l *Lessor) expire(id ID, now time.Time) bool {
	l.mu.Lock()
	le, ok := l.leases[id]
	if !ok || le.deadline.After(now) {
		l.mu.Unlock()
		return false
	}
	delete(l.leases, id)
	l.mu.Unlock()
	l.revoked(id, le.keys)
	return true
}

// Run revokes overdue leases every interval until ctx is done.
func (l *Lessor) Run(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, id := range l.overdue(now) {
				if !l.expire(id, now) {
					continue
				}
				select {
				case <-time.After(l.pace):
				case <-ctx.Done():
					return
				}
			}
		}
	}
}
