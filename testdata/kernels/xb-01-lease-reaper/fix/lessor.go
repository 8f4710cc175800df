// Package lessor grants time-bound leases and the named locks held under them.
package lessor

import (
	"errors"
	"sync"
	"time"
)

var (
	// ErrLeaseNotFound is returned for a lease that was never granted or is gone.
	ErrLeaseNotFound = errors.New("lessor: lease not found")
	// ErrHeld is returned when a lock is held under another lease.
	ErrHeld = errors.New("lessor: lock is held")
)

// LeaseID identifies a lease for the lifetime of the process.
type LeaseID int64

type lease struct {
	id       LeaseID
	ttl      time.Duration
	deadline time.Time
	locks    map[string]struct{}
}

// Lessor keeps the leases of all clients. It is safe for concurrent use.
type Lessor struct {
	now  func() time.Time
	stop chan struct{}
	done chan struct{}

	mu      sync.Mutex
	nextID  LeaseID
	leases  map[LeaseID]*lease
	holders map[string]LeaseID
}

// New returns a Lessor that looks for lapsed leases every interval.
func New(interval time.Duration) *Lessor {
	l := &Lessor{
		now:     time.Now,
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
		leases:  make(map[LeaseID]*lease),
		holders: make(map[string]LeaseID),
	}
	go l.loop(interval)
	return l
}

// Grant creates a lease that lasts for ttl unless renewed.
func (l *Lessor) Grant(ttl time.Duration) LeaseID {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nextID++
	l.leases[l.nextID] = &lease{
		id:       l.nextID,
		ttl:      ttl,
		deadline: l.now().Add(ttl),
		locks:    make(map[string]struct{}),
	}
	return l.nextID
}

// Renew extends the lease by its TTL. A lease that has lapsed can be renewed
// for as long as it has not been revoked; a client that gets a nil error keeps
// all its locks until the new deadline.
func (l *Lessor) Renew(id LeaseID) (time.Time, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ls, ok := l.leases[id]
	if !ok {
		return time.Time{}, ErrLeaseNotFound
	}
	ls.deadline = l.now().Add(ls.ttl)
	return ls.deadline, nil
}

// Lock takes the named lock under the lease.
func (l *Lessor) Lock(id LeaseID, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ls, ok := l.leases[id]
	if !ok {
		return ErrLeaseNotFound
	}
	if holder, held := l.holders[name]; held && holder != id {
		return ErrHeld
	}
	l.holders[name] = id
	ls.locks[name] = struct{}{}
	return nil
}

// Holder reports the lease under which name is locked.
func (l *Lessor) Holder(name string) (LeaseID, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok := l.holders[name]
	return id, ok
}

// Revoke ends the lease and frees every lock held under it.
func (l *Lessor) Revoke(id LeaseID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ls, ok := l.leases[id]
	if !ok {
		return ErrLeaseNotFound
	}
	l.dropLocked(ls)
	return nil
}

// revokeLapsed ends the lease if its deadline is before now.
func (l *Lessor) revokeLapsed(id LeaseID, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	ls, ok := l.leases[id]
	if !ok || !ls.deadline.Before(now) {
		return false
	}
	l.dropLocked(ls)
	return true
}

func (l *Lessor) dropLocked(ls *lease) {
	for name := range ls.locks {
		delete(l.holders, name)
	}
	delete(l.leases, ls.id)
}

// Close stops the reaper.
func (l *Lessor) Close() {
	close(l.stop)
	<-l.done
}

func (l *Lessor) loop(interval time.Duration) {
	defer close(l.done)
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			l.reap()
		case <-l.stop:
			return
		}
	}
}

// lapsed lists the leases whose deadline is before now.
func (l *Lessor) lapsed(now time.Time) []LeaseID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []LeaseID
	for id, ls := range l.leases {
		if ls.deadline.Before(now) {
			ids = append(ids, id)
		}
	}
	return ids
}

// reap revokes what has lapsed and reports how many leases it ended. Leases
// are ended one at a time so that a large batch does not hold up renewals.
func (l *Lessor) reap() int {
	n := 0
	now := l.now()
	for _, id := range l.lapsed(now) {
		if l.revokeLapsed(id, now) {
			n++
		}
	}
	return n
}
