// Package ok is an index of the revisions of keys.
package ok

import (
	"slices"
	"sync"
)

// keyIndex holds the revisions of a key. A negative one is a deletion.
type keyIndex struct {
	key  string
	revs []int64
}

func rev(r int64) int64 { return max(r, -r) }

// compact drops the revisions that are not visible at rev or later.
func (ki *keyIndex) compact(at int64, keep map[int64]struct{}) {
	i := len(ki.revs) - 1
	for i >= 0 && rev(ki.revs[i]) > at {
		i--
	}
	if i < 0 {
		return
	}
	if ki.revs[i] < 0 {
		ki.revs = slices.Clone(ki.revs[i+1:])
		return
	}
	ki.revs = slices.Clone(ki.revs[i:])
	keep[ki.revs[0]] = struct{}{}
}

// Index is safe for concurrent use.
type Index struct {
	mu   sync.RWMutex // also guards the contents of the items
	keys map[string]*keyIndex
}

// New returns an empty index.
func New() *Index { return &Index{keys: make(map[string]*keyIndex)} }

// Put adds a revision.
func (ix *Index) Put(key string, r int64) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ki := ix.keys[key]
	if ki == nil {
		ki = &keyIndex{key: key}
		ix.keys[key] = ki
	}
	ki.revs = append(ki.revs, r)
}

// Delete adds a deletion.
func (ix *Index) Delete(key string, r int64) bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ki := ix.keys[key]
	if ki == nil || ki.revs[len(ki.revs)-1] < 0 {
		return false
	}
	ki.revs = append(ki.revs, -r)
	return true
}

// Get returns the revision of the key that is visible at rev.
func (ix *Index) Get(key string, at int64) (int64, bool) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	ki := ix.keys[key]
	if ki == nil {
		return 0, false
	}
	for i := len(ki.revs) - 1; i >= 0; i-- {
		if r := ki.revs[i]; rev(r) <= at {
			return r, r > 0
		}
	}
	return 0, false
}

// Compact drops the revisions that are not visible at rev, which is not in the
// future, or later. It returns those at or before rev that are.
func (ix *Index) Compact(at int64) map[int64]struct{} {
	keep := make(map[int64]struct{})
	// Do not hold the lock during the whole compaction. Keys that are added
	// from now on have only revisions after rev.
	ix.mu.RLock()
	items := make([]*keyIndex, 0, len(ix.keys))
	for _, ki := range ix.keys {
		items = append(items, ki)
	}
	ix.mu.RUnlock()

	for _, ki := range items {
		ix.compactItem(ki, at, keep)
	}
	return keep
}

func (ix *Index) compactItem(ki *keyIndex, at int64, keep map[int64]struct{}) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.keys[ki.key] != ki {
		return // removed by another compaction
	}
	ki.compact(at, keep)
	if len(ki.revs) == 0 {
		delete(ix.keys, ki.key)
	}
}
