// Package vstore is an in-memory multi-version key-value store. Readers work
// on snapshots and never block writers; versions that no snapshot can see are
// pruned in the background.
package vstore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// version is one value of a row, valid from ts on.
type version struct {
	ts    uint64
	value []byte
	dead  bool // the row was deleted at ts
}

// Write is one change of a commit. A nil Value deletes the row.
type Write struct {
	Key   string
	Value []byte
}

// Store holds the rows. All methods are safe for concurrent use.
type Store struct {
	committing sync.Mutex    // one commit at a time
	clock      atomic.Uint64 // timestamp of the latest visible commit
	readers    readerSet

	mu   sync.RWMutex
	rows map[string][]version // oldest version first
}

// New returns an empty store.
func New() *Store {
	return &Store{
		rows:    make(map[string][]version),
		readers: readerSet{open: make(map[uint64]int)},
	}
}

// Commit applies the writes as one transaction and returns its timestamp.
func (s *Store) Commit(writes []Write) uint64 {
	s.committing.Lock()
	defer s.committing.Unlock()
	ts := s.clock.Load() + 1
	s.mu.Lock()
	for _, w := range writes {
		v := version{ts: ts, value: w.Value, dead: w.Value == nil}
		s.rows[w.Key] = append(s.rows[w.Key], v)
	}
	s.mu.Unlock()
	s.clock.Store(ts)
	return ts
}

// Snapshot returns a view of all commits made so far. It has to be closed.
func (s *Store) Snapshot() *Snapshot {
	ts := s.clock.Load()
	s.readers.enter(ts)
	return &Snapshot{store: s, ts: ts}
}

// Prune drops the versions that neither an open nor a future snapshot can
// see. It returns how many were dropped.
func (s *Store) Prune() int {
	horizon := s.readers.horizon(&s.clock)
	s.mu.Lock()
	defer s.mu.Unlock()
	dropped := 0
	for key, versions := range s.rows {
		keep := visible(versions, horizon)
		if keep < 0 {
			continue
		}
		if keep == len(versions)-1 && versions[keep].dead {
			dropped += len(versions)
			delete(s.rows, key)
			continue
		}
		if keep > 0 {
			dropped += keep
			s.rows[key] = append([]version(nil), versions[keep:]...)
		}
	}
	return dropped
}

// Run prunes the store at an interval until the context ends.
func (s *Store) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.Prune()
		}
	}
}

// visible returns the index of the version that is current at ts, or -1.
func visible(versions []version, ts uint64) int {
	for i := len(versions) - 1; i >= 0; i-- {
		if versions[i].ts <= ts {
			return i
		}
	}
	return -1
}

// Snapshot is a consistent view of the store.
type Snapshot struct {
	store  *Store
	ts     uint64
	closed atomic.Bool
}

// Timestamp returns the commit the snapshot shows.
func (n *Snapshot) Timestamp() uint64 { return n.ts }

// Get returns the value of key in the snapshot.
func (n *Snapshot) Get(key string) ([]byte, bool) {
	n.store.mu.RLock()
	defer n.store.mu.RUnlock()
	versions := n.store.rows[key]
	i := visible(versions, n.ts)
	if i < 0 || versions[i].dead {
		return nil, false
	}
	return versions[i].value, true
}

// Close lets the store prune what only this snapshot could see.
func (n *Snapshot) Close() {
	if !n.closed.Swap(true) {
		n.store.readers.leave(n.ts)
	}
}
