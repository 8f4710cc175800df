// Package ok is an index from names and values to ids.
package ok

import (
	"maps"
	"slices"
	"sync"
)

// Index is safe for concurrent use.
type Index struct {
	mtx  sync.RWMutex
	m    map[string]map[string][]uint64
	size int
}

// New returns an empty index.
func New() *Index { return &Index{m: make(map[string]map[string][]uint64)} }

// Add adds an id; ids come in ascending order.
func (x *Index) Add(id uint64, attrs map[string]string) {
	x.mtx.Lock()
	defer x.mtx.Unlock()
	for n, v := range attrs {
		vm := x.m[n]
		if vm == nil {
			vm = make(map[string][]uint64)
			x.m[n] = vm
		}
		vm[v] = append(vm[v], id)
		x.size++
	}
}

// Values lists the values of a name, in no order.
func (x *Index) Values(name string) []string {
	x.mtx.RLock()
	defer x.mtx.RUnlock()
	return slices.Collect(maps.Keys(x.m[name]))
}

// Get returns the ids with a value. The slice must not be changed.
func (x *Index) Get(name, value string) []uint64 {
	x.mtx.RLock()
	defer x.mtx.RUnlock()
	return x.m[name][value]
}

// Matching returns the ids with a value that match accepts.
func (x *Index) Matching(name string, match func(string) bool) []uint64 {
	x.mtx.RLock()
	vm := x.m[name]
	if len(vm) == 0 {
		x.mtx.RUnlock()
		return nil
	}
	values := make([]string, 0, len(vm))
	for v := range vm {
		values = append(values, v)
	}
	x.mtx.RUnlock()

	values = slices.DeleteFunc(values, func(v string) bool { return !match(v) })
	if len(values) == 0 {
		return nil
	}

	lists := make([][]uint64, 0, len(values))
	x.mtx.RLock()
	vm = x.m[name]
	for _, v := range values {
		if ids := vm[v]; len(ids) > 0 {
			lists = append(lists, ids)
		}
	}
	x.mtx.RUnlock()
	return merge(lists)
}

func merge(lists [][]uint64) []uint64 {
	var out []uint64
	for _, l := range lists {
		out = append(out, l...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Delete removes ids. Lists are replaced, readers may hold the old ones.
func (x *Index) Delete(gone map[uint64]struct{}) {
	x.mtx.RLock()
	names := slices.Collect(maps.Keys(x.m))
	x.mtx.RUnlock()

	for _, n := range names {
		x.mtx.Lock()
		for v, ids := range x.m[n] {
			kept := make([]uint64, 0, len(ids))
			for _, id := range ids {
				if _, ok := gone[id]; !ok {
					kept = append(kept, id)
				}
			}
			x.size -= len(ids) - len(kept)
			if len(kept) == 0 {
				delete(x.m[n], v)
			} else if len(kept) < len(ids) {
				x.m[n][v] = kept
			}
		}
		if len(x.m[n]) == 0 {
			delete(x.m, n)
		}
		x.mtx.Unlock()
	}
}

// Size is the number of entries.
func (x *Index) Size() int {
	x.mtx.RLock()
	defer x.mtx.RUnlock()
	return x.size
}
