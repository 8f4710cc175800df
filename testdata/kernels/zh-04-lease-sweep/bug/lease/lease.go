// Package lease keeps leases with a time to live and the keys held under them.
package lease

import (
	"errors"
	"sync"
	"time"
)

// ErrNotFound is returned for a lease that is unknown or gone.
var ErrNotFound = errors.New("lease: not found")

// ID names a lease. IDs are never used twice.
type ID int64

type grant struct {
	ttl      time.Duration
	deadline time.Time
	keys     map[string]struct{}
}

// Table holds all leases of a node. It is safe for concurrent use.
type Table struct {
	mu     sync.Mutex
	last   ID
	grants map[ID]*grant
	owner  map[string]ID
}

// NewTable returns an empty table.
func NewTable() *Table {
	return &Table{grants: make(map[ID]*grant), owner: make(map[string]ID)}
}

// Grant opens a lease.
func (t *Table) Grant(ttl time.Duration) ID {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	t.grants[t.last] = &grant{ttl: ttl, deadline: time.Now().Add(ttl), keys: make(map[string]struct{})}
	return t.last
}

// KeepAlive prolongs a lease by its time to live.
func (t *Table) KeepAlive(id ID) (time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, ok := t.grants[id]
	if !ok {
		return 0, ErrNotFound
	}
	g.deadline = time.Now().Add(g.ttl)
	return g.ttl, nil
}

// Claim makes the lease the owner of a key that nobody owns.
func (t *Table) Claim(id ID, key string) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, ok := t.grants[id]
	if !ok {
		return false, ErrNotFound
	}
	if cur, taken := t.owner[key]; taken {
		return cur == id, nil
	}
	t.owner[key] = id
	g.keys[key] = struct{}{}
	return true, nil
}

// Owner returns the lease that holds a key.
func (t *Table) Owner(key string) (ID, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id, ok := t.owner[key]
	return id, ok
}

// Expired returns up to limit leases whose deadline has passed.
func (t *Table) Expired(now time.Time, limit int) []ID {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ids []ID
	for id, g := range t.grants {
		if len(ids) == limit {
			break
		}
		if now.After(g.deadline) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Revoke ends a lease and gives its keys free.
func (t *Table) Revoke(id ID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, ok := t.grants[id]
	if !ok {
		return ErrNotFound
	}
	t.dropLocked(id, g)
	return nil
}

func (t *Table) dropLocked(id ID, g *grant) {
	for key := range g.keys {
		delete(t.owner, key)
	}
	delete(t.grants, id)
}
