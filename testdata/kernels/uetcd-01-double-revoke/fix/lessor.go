// Package fix grants leases and deletes the keys of revoked ones.
package fix

import (
	"errors"
	"sort"
	"sync"
	"time"
)

var (
	ErrNotFound = errors.New("lease not found")
	ErrTTL      = errors.New("lease time to live too short")
)

// Deleter deletes keys in one transaction.
type Deleter interface {
	Delete(key string)
	End()
}

// Lease lives until it is revoked. Its number is never used again.
type Lease struct {
	ID      int64
	expiry  time.Time
	keys    []string
	revoked chan struct{}
	// revokeOnce guards the close of revoked; Revoke may run twice.
	revokeOnce sync.Once
}

func newLease(id int64, ttl time.Duration, keys []string) *Lease {
	sorted := append([]string(nil), keys...)
	sort.Strings(sorted)
	return &Lease{
		ID:      id,
		expiry:  time.Now().Add(ttl),
		keys:    sorted,
		revoked: make(chan struct{}),
	}
}

func (l *Lease) expired(now time.Time) bool { return now.After(l.expiry) }

// Keys returns the attached keys in order.
func (l *Lease) Keys() []string { return l.keys }

// Done is closed when the lease was revoked.
func (l *Lease) Done() <-chan struct{} { return l.revoked }

// Lessor owns all leases.
type Lessor struct {
	begin  func() Deleter
	minTTL time.Duration

	mu     sync.RWMutex
	lastID int64
	leases map[int64]*Lease
}

// NewLessor deletes keys in the transactions that begin returns.
func NewLessor(begin func() Deleter, minTTL time.Duration) *Lessor {
	le := &Lessor{begin: begin, minTTL: minTTL, leases: make(map[int64]*Lease)}
	go le.run()
	return le
}

// Grant creates a lease for keys.
func (le *Lessor) Grant(ttl time.Duration, keys ...string) (*Lease, error) {
	if ttl < le.minTTL {
		return nil, ErrTTL
	}
	le.mu.Lock()
	defer le.mu.Unlock()
	le.lastID++
	l := newLease(le.lastID, ttl, keys)
	le.leases[l.ID] = l
	return l, nil
}

// Revoke deletes the lease and its keys.
func (le *Lessor) Revoke(id int64) error {
	le.mu.Lock()
	l := le.leases[id]
	if l == nil {
		le.mu.Unlock()
		return ErrNotFound
	}
	defer l.revokeOnce.Do(func() { close(l.revoked) })
	// unlock before doing external work
	le.mu.Unlock()

	txn := le.begin()
	for _, key := range l.Keys() {
		txn.Delete(key)
	}

	le.mu.Lock()
	defer le.mu.Unlock()
	delete(le.leases, l.ID)
	txn.End()
	return nil
}

// Lookup returns a lease that was not revoked, or nil.
func (le *Lessor) Lookup(id int64) *Lease {
	le.mu.RLock()
	defer le.mu.RUnlock()
	return le.leases[id]
}

// Len returns the number of leases.
func (le *Lessor) Len() int {
	le.mu.RLock()
	defer le.mu.RUnlock()
	return len(le.leases)
}

// run revokes expired leases.
func (le *Lessor) run() {
	for now := range time.Tick(500 * time.Millisecond) {
		for _, id := range le.findExpired(now) {
			le.Revoke(id)
		}
	}
}

func (le *Lessor) findExpired(now time.Time) []int64 {
	le.mu.RLock()
	defer le.mu.RUnlock()
	var ids []int64
	for id, l := range le.leases {
		if l.expired(now) {
			ids = append(ids, id)
		}
	}
	return ids
}
