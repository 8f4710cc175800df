package a

import "sync"

type keyIndex struct {
	key  string
	revs []int64
	// tombstone is the revision of the deletion, 0 if alive.
	tombstone int64
}

// compact drops the revisions below atRev except the newest of them.
func (ki *keyIndex) compact(atRev int64, available map[int64]struct{}) {
	i := 0
	for i+1 < len(ki.revs) && ki.revs[i+1] <= atRev {
		i++
	}
	if len(ki.revs) > 0 && ki.revs[i] <= atRev {
		available[ki.revs[i]] = struct{}{}
	}
	ki.revs = ki.revs[i:]
	if ki.tombstone != 0 && ki.tombstone <= atRev {
		ki.revs = nil
	}
}

func (ki *keyIndex) isEmpty() bool { return len(ki.revs) == 0 }

type treeIndex struct {
	sync.RWMutex
	tree map[string]*keyIndex
}

// Put adds a revision of the key.
func (ti *treeIndex) Put(key string, rev int64) {
	ti.Lock()
	defer ti.Unlock()
	ki := ti.tree[key]
	if ki == nil {
		ki = &keyIndex{key: key}
		ti.tree[key] = ki
	}
	ki.revs = append(ki.revs, rev)
	ki.tombstone = 0
}

// Tombstone marks the key as deleted at rev.
func (ti *treeIndex) Tombstone(key string, rev int64) bool {
	ti.Lock()
	defer ti.Unlock()
	ki := ti.tree[key]
	if ki == nil || ki.tombstone != 0 {
		return false
	}
	ki.revs = append(ki.revs, rev)
	ki.tombstone = rev
	return true
}

// Compact removes the revisions that are not needed from rev on. Only the
// store's compaction goroutine calls it.
func (ti *treeIndex) Compact(rev int64) map[int64]struct{} {
	available := make(map[int64]struct{})
	ti.RLock()
	clone := make([]*keyIndex, 0, len(ti.tree))
	for _, ki := range ti.tree {
		clone = append(clone, ki)
	}
	ti.RUnlock()

	for _, keyi := range clone {
		// Lock is needed here to prevent modification to the keyIndex while
		// compaction is going on or revision added to empty before deletion
		ti.Lock()
		keyi.compact(rev, available)
		if keyi.isEmpty() {
			delete(ti.tree, keyi.key)
		}
		ti.Unlock()
	}
	return available
}

type store struct {
	idx      *treeIndex
	compactC chan int64
	doneC    chan map[int64]struct{}
}

func (s *store) compactLoop() {
	for rev := range s.compactC {
		s.doneC <- s.idx.Compact(rev)
	}
}
