package a

import (
	"errors"
	"hash/maphash"
	"sync"
)

var errNoEntry = errors.New("no such secret ID")

// secretID is a credential with a limited number of uses.
type secretID struct {
	accessor string
	left     int
	meta     map[string]string // not modified
}

// storage holds the entries; each operation is complete by itself.
type storage struct {
	mu      sync.RWMutex
	entries map[string]secretID
}

func (s *storage) get(key string) (secretID, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e, ok := s.entries[key]
	return e, ok
}

func (s *storage) put(key string, e secretID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[key] = e
}

func (s *storage) remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.entries, key)
}

func (s *storage) keys() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make([]string, 0, len(s.entries))
	for k := range s.entries {
		out = append(out, k)
	}
	return out
}

// keyLocks is a fixed set of locks for an open set of keys.
type keyLocks struct {
	seed  maphash.Seed
	locks [32]sync.Mutex
}

// lock locks a key and returns what unlocks it.
func (k *keyLocks) lock(key string) (unlock func()) {
	l := &k.locks[maphash.String(k.seed, key)%uint64(len(k.locks))]
	l.Lock()
	return l.Unlock
}

// backend logs in applications by secret IDs. An entry is written only by
// those who hold the lock of its key.
type backend struct {
	store storage
	locks keyLocks
}

func newBackend() *backend {
	return &backend{
		store: storage{entries: make(map[string]secretID)},
		locks: keyLocks{seed: maphash.MakeSeed()},
	}
}

// Register puts in a secret ID with at least one use, unless it is there.
func (b *backend) Register(key string, uses int, meta map[string]string) bool {
	defer b.locks.lock(key)()
	if _, ok := b.store.get(key); ok {
		return false
	}
	b.store.put(key, secretID{accessor: "acc-" + key, left: uses, meta: meta})
	return true
}

// Login takes one use; the last one removes the entry.
func (b *backend) Login(key string) (map[string]string, error) {
	// Guesses are turned down without a lock.
	if _, ok := b.store.get(key); !ok {
		return nil, errNoEntry
	}
	defer b.locks.lock(key)()
	e, ok := b.store.get(key)
	if !ok {
		return nil, errNoEntry
	}
	e.left--
	if e.left <= 0 {
		b.store.remove(key)
	} else {
		b.store.put(key, e)
	}
	return e.meta, nil
}

// AddUses raises the limit of an entry.
func (b *backend) AddUses(key string, n int) error {
	defer b.locks.lock(key)()
	e, ok := b.store.get(key)
	if !ok {
		return errNoEntry
	}
	e.left += n
	b.store.put(key, e)
	return nil
}

// Tidy removes the entries that match. The list of keys may be out of date,
// so each entry is looked at again under its lock.
func (b *backend) Tidy(match func(meta map[string]string) bool) int {
	removed := 0
	for _, key := range b.store.keys() {
		if b.tidyOne(key, match) {
			removed++
		}
	}
	return removed
}

func (b *backend) tidyOne(key string, match func(map[string]string) bool) bool {
	defer b.locks.lock(key)()
	e, ok := b.store.get(key)
	if !ok || !match(e.meta) {
		return false
	}
	b.store.remove(key)
	return true
}
