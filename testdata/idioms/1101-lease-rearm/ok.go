// Correct: the timer is only an occasion to look. The decision that a lease is
// over is made with its deadline read again under the lease's own lock, and
// from then on the dead mark is what Renew goes by; the map entry is dropped
// later, but only if it is still the same lease.

// Package ok keeps leases that end unless renewed.
package ok

import (
	"sync"
	"sync/atomic"
	"time"
)

// Lease is held until its deadline.
type Lease struct {
	id    string
	owner string

	mu       sync.Mutex
	deadline time.Time
	timer    *time.Timer
	dead     bool
}

// Leases are found by id.
type Leases struct {
	ttl     time.Duration
	expired atomic.Int64

	mu   sync.Mutex
	byID map[string]*Lease
}

func New(ttl time.Duration) *Leases {
	return &Leases{ttl: ttl, byID: make(map[string]*Lease)}
}

// Expired is the number of leases that have run out so far.
func (ls *Leases) Expired() int64 { return ls.expired.Load() }

// Grant takes a lease; false when a living one exists.
func (ls *Leases) Grant(id, owner string) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if old := ls.byID[id]; old != nil && old.alive() {
		return false
	}
	l := &Lease{id: id, owner: owner}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = time.Now().Add(ls.ttl)
	l.timer = time.AfterFunc(ls.ttl, func() { ls.due(l) })
	ls.byID[id] = l
	return true
}

func (l *Lease) alive() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.dead
}

func (ls *Leases) lookup(id string) *Lease {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.byID[id]
}

// Renew extends a lease and reports whether it is still held by owner.
func (ls *Leases) Renew(id, owner string) bool {
	l := ls.lookup(id)
	if l == nil || l.owner != owner {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return false
	}
	l.deadline = time.Now().Add(ls.ttl)
	return true
}

// end marks l dead if its deadline is over, else sets the timer again.
func (l *Lease) end() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return false
	}
	if rest := time.Until(l.deadline); rest > 0 {
		l.timer.Reset(rest)
		return false
	}
	l.dead = true
	return true
}

func (ls *Leases) due(l *Lease) {
	if !l.end() {
		return
	}
	ls.expired.Add(1)
	ls.mu.Lock()
	if ls.byID[l.id] == l {
		delete(ls.byID, l.id)
	}
	ls.mu.Unlock()
}
