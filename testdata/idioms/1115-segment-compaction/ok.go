// Correct: compaction picks segments in one critical section, merges them
// unlocked and swaps the result in in another. The picked segments are marked
// busy in the first section and neither another compaction nor Drop touches a
// busy segment, so they are still there, unchanged, at the swap. Sealed
// segments are never written.

// Package ok is a list of sealed segments that are compacted in the background.
package ok

import (
	"cmp"
	"slices"
	"sync"
)

type Item struct {
	Key string
	Rev uint64
	Val []byte
}

type segment struct {
	id    int
	items []Item // by key
	busy  bool
}

type Levels struct {
	fan int

	mu       sync.RWMutex
	nextID   int
	segments []*segment
}

func New(fan int) *Levels {
	return &Levels{fan: max(fan, 2)}
}

// Seal adds a finished segment.
func (l *Levels) Seal(items []Item) int {
	sorted := slices.Clone(items)
	slices.SortFunc(sorted, func(a, b Item) int { return cmp.Compare(a.Key, b.Key) })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nextID++
	l.segments = append(l.segments, &segment{id: l.nextID, items: sorted})
	return l.nextID
}

// Compact merges some of the segments; it tells whether there was work.
func (l *Levels) Compact() bool {
	picked := l.pick()
	if picked == nil {
		return false
	}
	merged := merge(picked)
	l.swap(picked, merged)
	return true
}

func (l *Levels) pick() []*segment {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*segment
	for _, s := range l.segments {
		if !s.busy {
			out = append(out, s)
		}
		if len(out) == l.fan {
			break
		}
	}
	if len(out) < l.fan {
		return nil
	}
	for _, s := range out {
		s.busy = true
	}
	return out
}

func merge(segs []*segment) []Item {
	newest := make(map[string]Item)
	for _, s := range segs {
		for _, it := range s.items {
			if old, ok := newest[it.Key]; !ok || it.Rev > old.Rev {
				newest[it.Key] = it
			}
		}
	}
	out := make([]Item, 0, len(newest))
	for _, it := range newest {
		out = append(out, it)
	}
	slices.SortFunc(out, func(a, b Item) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

func (l *Levels) swap(old []*segment, items []Item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.segments = slices.DeleteFunc(l.segments, func(s *segment) bool { return slices.Contains(old, s) })
	l.nextID++
	l.segments = append(l.segments, &segment{id: l.nextID, items: items})
}

// Drop removes a segment unless it is being compacted.
func (l *Levels) Drop(id int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.segments, func(s *segment) bool { return s.id == id && !s.busy })
	if i < 0 {
		return false
	}
	l.segments = slices.Delete(l.segments, i, i+1)
	return true
}

// Get returns the newest value of a key.
func (l *Levels) Get(key string) ([]byte, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var best Item
	found := false
	for _, s := range l.segments {
		i, ok := slices.BinarySearchFunc(s.items, key, func(it Item, k string) int { return cmp.Compare(it.Key, k) })
		if ok && (!found || s.items[i].Rev > best.Rev) {
			best, found = s.items[i], true
		}
	}
	return best.Val, found
}
