// Package ok is a sorted index of keys and the revisions they were changed in.
package ok

import (
	"sort"
	"sync"
)

// item is immutable.
type item struct {
	key     string
	created int64
	revs    []int64
	dead    bool
}

func (it *item) at(rev int64) (int64, bool) {
	i := sort.Search(len(it.revs), func(i int) bool { return it.revs[i] > rev })
	if i == 0 {
		return 0, false
	}
	if it.dead && i == len(it.revs) {
		return 0, false
	}
	return it.revs[i-1], true
}

// version is immutable.
type version struct {
	items []*item
}

func (v *version) find(key string) (int, bool) {
	i := sort.Search(len(v.items), func(i int) bool { return v.items[i].key >= key })
	return i, i < len(v.items) && v.items[i].key == key
}

// Index is safe for concurrent use.
type Index struct {
	mu  sync.RWMutex
	cur *version
}

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{cur: &version{}} }

func (x *Index) change(key string, f func(old *item) *item) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, ok := x.cur.find(key)
	var old *item
	if ok {
		old = x.cur.items[i]
	}
	it := f(old)
	if it == nil {
		return
	}
	items := make([]*item, 0, len(x.cur.items)+1)
	items = append(items, x.cur.items[:i]...)
	items = append(items, it)
	if ok {
		i++
	}
	items = append(items, x.cur.items[i:]...)
	x.cur = &version{items: items}
}

func addRev(old *item, rev int64) []int64 {
	revs := make([]int64, 0, len(old.revs)+1)
	return append(append(revs, old.revs...), rev)
}

// Put records a change of key.
func (x *Index) Put(key string, rev int64) {
	x.change(key, func(old *item) *item {
		if old == nil || old.dead {
			return &item{key: key, created: rev, revs: []int64{rev}}
		}
		return &item{key: key, created: old.created, revs: addRev(old, rev)}
	})
}

// Tombstone records the deletion of key.
func (x *Index) Tombstone(key string, rev int64) bool {
	done := false
	x.change(key, func(old *item) *item {
		if old == nil || old.dead {
			return nil
		}
		done = true
		return &item{key: key, created: old.created, revs: addRev(old, rev), dead: true}
	})
	return done
}

func (x *Index) visit(from, to string, f func(*item) bool) {
	x.mu.RLock()
	v := x.cur
	x.mu.RUnlock()

	i, _ := v.find(from)
	for ; i < len(v.items); i++ {
		it := v.items[i]
		if to != "" && it.key >= to {
			return
		}
		if !f(it) {
			return
		}
	}
}

// Range returns the revisions that [from, to) had at rev.
func (x *Index) Range(from, to string, rev int64, limit int) (keys []string, revs []int64) {
	x.visit(from, to, func(it *item) bool {
		if r, ok := it.at(rev); ok {
			keys = append(keys, it.key)
			revs = append(revs, r)
		}
		return limit == 0 || len(keys) < limit
	})
	return keys, revs
}

// Count returns the number of keys in [from, to) at rev.
func (x *Index) Count(from, to string, rev int64) int {
	n := 0
	x.visit(from, to, func(it *item) bool {
		if _, ok := it.at(rev); ok {
			n++
		}
		return true
	})
	return n
}
