// Package lease grants time-limited leases to which registrations are tied.
package lease

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// ErrNotFound is returned for a lease that was revoked or has run out. The
// holder must then act as if all of its registrations were gone.
var ErrNotFound = errors.New("lease: not found")

// ID names a lease. IDs are not used twice.
type ID uint64

// ReleaseFunc removes registrations from the store. A key that has meanwhile
// been put under another lease is left alone.
type ReleaseFunc func(id ID, keys []string)

type lease struct {
	id       ID
	ttl      time.Duration
	deadline time.Time
	timer    *time.Timer
	keys     map[string]struct{}
}

// Table holds the leases of one server. It is safe for concurrent use.
type Table struct {
	release ReleaseFunc

	mu     sync.Mutex
	last   ID
	leases map[ID]*lease
}

// NewTable returns a table without leases.
func NewTable(release ReleaseFunc) *Table {
	return &Table{release: release, leases: make(map[ID]*lease)}
}

// Grant makes a lease that lasts for ttl unless it is renewed.
func (t *Table) Grant(ttl time.Duration) (ID, error) {
	if ttl <= 0 {
		return 0, errors.New("lease: ttl must be positive")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	l := &lease{
		id:       t.last,
		ttl:      ttl,
		deadline: time.Now().Add(ttl),
		keys:     make(map[string]struct{}),
	}
	l.timer = time.AfterFunc(ttl, func() { t.expire(l.id) })
	t.leases[l.id] = l
	return l.id, nil
}

// Renew extends a lease by its ttl and returns the time until which the
// holder can rely on it.
func (t *Table) Renew(id ID) (time.Time, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, ok := t.leases[id]
	if !ok {
		return time.Time{}, ErrNotFound
	}
	l.deadline = time.Now().Add(l.ttl)
	l.timer.Reset(l.ttl)
	return l.deadline, nil
}

// Attach ties a registration to a lease.
func (t *Table) Attach(id ID, key string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, ok := t.leases[id]
	if !ok {
		return ErrNotFound
	}
	l.keys[key] = struct{}{}
	return nil
}

// Remaining returns how long a lease will last.
func (t *Table) Remaining(id ID) (time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, ok := t.leases[id]
	if !ok {
		return 0, ErrNotFound
	}
	return time.Until(l.deadline), nil
}

// Revoke ends a lease at once.
func (t *Table) Revoke(id ID) error {
	t.mu.Lock()
	l, ok := t.leases[id]
	if !ok {
		t.mu.Unlock()
		return ErrNotFound
	}
	l.timer.Stop()
	delete(t.leases, id)
	t.mu.Unlock()
	t.release(id, slices.Sorted(maps.Keys(l.keys)))
	return nil
}

// expire runs in the timer's goroutine. The lease may have been renewed while
// it waited for the lock.
func (t *Table) expire(id ID) {
	t.mu.Lock()
	l, ok := t.leases[id]
	if !ok {
		t.mu.Unlock()
		return
	}
	if left := time.Until(l.deadline); left > 0 {
		l.timer.Reset(left)
		t.mu.Unlock()
		return
	}
	delete(t.leases, id)
	t.mu.Unlock()
	t.release(id, slices.Sorted(maps.Keys(l.keys)))
}
