// Package lease keeps time-bounded leases and the keys attached to them.
package lease

import (
	"errors"
	"sync"
	"time"
)

// ID names a lease.
type ID int64

var (
	ErrNotFound = errors.New("lease: not found")
	ErrExists   = errors.New("lease: already exists")
	ErrExpired  = errors.New("lease: expired")
)

type lease struct {
	id        ID
	ttl       time.Duration
	remaining time.Duration // set from a checkpoint after a leader change
	expiry    time.Time
	keys      map[string]struct{}
}

func (l *lease) expired(now time.Time) bool { return !now.Before(l.expiry) }

// Checkpointer replicates the remaining time of a lease to the followers.
type Checkpointer func(id ID, remaining time.Duration) error

// Lessor owns all leases of a member.
type Lessor struct {
	checkpoint Checkpointer
	deleteKeys func(keys []string)

	mu     sync.RWMutex
	leases map[ID]*lease

	stop chan struct{}
	done chan struct{}
}

// NewLessor starts a lessor that looks for expired leases every interval.
func NewLessor(cp Checkpointer, deleteKeys func([]string), interval time.Duration) *Lessor {
	le := &Lessor{
		checkpoint: cp,
		deleteKeys: deleteKeys,
		leases:     make(map[ID]*lease),
		stop:       make(chan struct{}),
		done:       make(chan struct{}),
	}
	go le.run(interval)
	return le
}

// Grant creates a lease.
func (le *Lessor) Grant(id ID, ttl, remaining time.Duration) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	if _, ok := le.leases[id]; ok {
		return ErrExists
	}
	life := ttl
	if remaining > 0 {
		life = remaining
	}
	le.leases[id] = &lease{
		id:        id,
		ttl:       ttl,
		remaining: remaining,
		expiry:    time.Now().Add(life),
		keys:      make(map[string]struct{}),
	}
	return nil
}

// Attach binds a key to a lease. The key goes away with the lease.
func (le *Lessor) Attach(id ID, key string) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l := le.leases[id]
	if l == nil {
		return ErrNotFound
	}
	l.keys[key] = struct{}{}
	return nil
}

// Renew extends a lease by its full TTL. A client that got a nil error may
// rely on the attached keys for that long.
func (le *Lessor) Renew(id ID) (time.Duration, error) {
	le.mu.RLock()
	l := le.leases[id]
	if l == nil {
		le.mu.RUnlock()
		return 0, ErrNotFound
	}
	if l.expired(time.Now()) {
		le.mu.RUnlock()
		return 0, ErrExpired
	}
	reset := l.remaining > 0
	le.mu.RUnlock()

	// Reset a pending checkpoint, or a new leader would cut the lease short.
	if reset && le.checkpoint != nil {
		if err := le.checkpoint(id, 0); err != nil {
			return 0, err
		}
	}

	le.mu.Lock()
	defer le.mu.Unlock()
	l.remaining = 0
	l.expiry = time.Now().Add(l.ttl)
	return l.ttl, nil
}

// Revoke ends a lease and deletes its keys.
func (le *Lessor) Revoke(id ID) error {
	le.mu.Lock()
	defer le.mu.Unlock()
	l := le.leases[id]
	if l == nil {
		return ErrNotFound
	}
	le.drop(l)
	return nil
}

func (le *Lessor) drop(l *lease) {
	keys := make([]string, 0, len(l.keys))
	for k := range l.keys {
		keys = append(keys, k)
	}
	le.deleteKeys(keys)
	delete(le.leases, l.id)
}

func (le *Lessor) expireOnce(now time.Time) {
	le.mu.Lock()
	defer le.mu.Unlock()
	for _, l := range le.leases {
		if l.expired(now) {
			le.drop(l)
		}
	}
}

func (le *Lessor) run(interval time.Duration) {
	defer close(le.done)
	t := time.NewTicker(interval)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			le.expireOnce(now)
		case <-le.stop:
			return
		}
	}
}

// Stop ends the expiry loop. It must be called once.
func (le *Lessor) Stop() {
	close(le.stop)
	<-le.done
}
