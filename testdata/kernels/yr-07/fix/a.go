// Package mvcc is a multi-version in-memory key/value store with snapshot
// reads.
package mvcc

import (
	"sort"
	"sync"
	"sync/atomic"
)

type version struct {
	ts    uint64
	value []byte
	dead  bool
}

// chain holds the versions of one key, oldest first.
type chain struct {
	mu       sync.RWMutex
	versions []version
}

func (c *chain) add(v version) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.versions = append(c.versions, v)
}

// at returns the newest version not younger than ts.
func (c *chain) at(ts uint64) ([]byte, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	i := sort.Search(len(c.versions), func(i int) bool { return c.versions[i].ts > ts })
	if i == 0 || c.versions[i-1].dead {
		return nil, false
	}
	return c.versions[i-1].value, true
}

// Store is safe for concurrent use by any number of readers and writers.
type Store struct {
	commitMu sync.Mutex    // serialises committers
	visible  atomic.Uint64 // snapshots are taken at this timestamp

	mu     sync.RWMutex
	chains map[string]*chain
}

func Open() *Store {
	return &Store{chains: make(map[string]*chain)}
}

func (s *Store) find(key string) *chain {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.chains[key]
}

func (s *Store) ensure(key string) *chain {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.chains[key]
	if c == nil {
		c = &chain{}
		s.chains[key] = c
	}
	return c
}

// Batch collects the writes of one transaction.
type Batch struct {
	puts map[string]version
}

func (b *Batch) Put(key string, value []byte) { b.set(key, version{value: value}) }
func (b *Batch) Delete(key string)            { b.set(key, version{dead: true}) }

func (b *Batch) set(key string, v version) {
	if b.puts == nil {
		b.puts = make(map[string]version)
	}
	b.puts[key] = v
}

// Commit makes all writes of the batch visible at once.
func (s *Store) Commit(b *Batch) uint64 {
	s.commitMu.Lock()
	defer s.commitMu.Unlock()
	ts := s.visible.Load() + 1
	for key, v := range b.puts {
		v.ts = ts
		s.ensure(key).add(v)
	}
	s.visible.Store(ts)
	return ts
}

// Snapshot is a consistent view of the store.
type Snapshot struct {
	store *Store
	ts    uint64
}

// Snapshot opens a view of everything committed so far.
func (s *Store) Snapshot() *Snapshot {
	return &Snapshot{store: s, ts: s.visible.Load()}
}

// Get returns the value of key as of the snapshot.
func (sn *Snapshot) Get(key string) ([]byte, bool) {
	c := sn.store.find(key)
	if c == nil {
		return nil, false
	}
	return c.at(sn.ts)
}
