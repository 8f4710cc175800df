package a

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrNotFound is returned for a lease that is unknown or over.
var ErrNotFound = errors.New("lease: not found")

// Lease is a promise to keep some keys until it expires.
type Lease struct {
	Owner  string
	TTL    time.Duration
	Expiry time.Time
	Keys   []string
}

// Quorum asks the cluster whether this member is still the leader.
type Quorum interface {
	Confirm(ctx context.Context) error
}

// Lessor grants leases.
type Lessor struct {
	quorum Quorum

	mu     sync.Mutex
	nextID int64
	leases map[int64]Lease
}

// NewLessor returns a lessor without leases.
func NewLessor(q Quorum) *Lessor {
	return &Lessor{quorum: q, leases: make(map[int64]Lease)}
}

// Grant creates a lease.
func (l *Lessor) Grant(owner string, ttl time.Duration) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nextID++
	l.leases[l.nextID] = Lease{Owner: owner, TTL: ttl, Expiry: time.Now().Add(ttl)}
	return l.nextID
}

// Attach puts a key under the lease.
func (l *Lessor) Attach(id int64, key string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	le, ok := l.leases[id]
	if !ok {
		return ErrNotFound
	}
	le.Keys = append(le.Keys[:len(le.Keys):len(le.Keys)], key)
	l.leases[id] = le
	return nil
}

// Renew extends the lease by its TTL once the cluster agrees.
func (l *Lessor) Renew(ctx context.Context, id int64) (time.Time, error) {
	l.mu.Lock()
	le, ok := l.leases[id]
	l.mu.Unlock()
	if !ok {
		return time.Time{}, ErrNotFound
	}
	if err := l.quorum.Confirm(ctx); err != nil {
		return time.Time{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	le.Expiry = time.Now().Add(le.TTL)
	l.leases[id] = le
	return le.Expiry, nil
}

// Revoke ends the lease and returns the keys to be deleted.
func (l *Lessor) Revoke(id int64) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	le, ok := l.leases[id]
	if !ok {
		return nil, ErrNotFound
	}
	delete(l.leases, id)
	return le.Keys, nil
}

// Sweep ends all leases that have expired and returns their keys.
func (l *Lessor) Sweep(now time.Time) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var keys []string
	for id, le := range l.leases {
		if now.After(le.Expiry) {
			keys = append(keys, le.Keys...)
			delete(l.leases, id)
		}
	}
	return keys
}
