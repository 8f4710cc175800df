// Correct: Merge claims the front of the list by the flag merging before it
// leaves the lock; while it is set nobody else merges or drops, and Add only
// touches the end, so the n oldest segments are the same when Merge comes
// back. Segments do not change once they are in the list.
package ok

import "sync"

// Item is a timed value.
type Item struct {
	At  int64
	Val string
}

type segment struct {
	items []Item
}

func join(parts []*segment) *segment {
	out := &segment{}
	for _, p := range parts {
		out.items = append(out.items, p.items...)
	}
	return out
}

// Index is a list of segments, oldest first.
type Index struct {
	fan int

	mu       sync.Mutex
	segments []*segment
	merging  bool
	merges   int
}

func NewIndex(fan int) *Index { return &Index{fan: max(fan, 2)} }

// Add puts a new segment at the end.
func (x *Index) Add(items []Item) {
	s := &segment{items: append([]Item(nil), items...)}
	x.mu.Lock()
	x.segments = append(x.segments, s)
	due := len(x.segments) >= x.fan && !x.merging
	x.mu.Unlock()
	if due {
		go x.Merge()
	}
}

func (x *Index) claim() []*segment {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.merging || len(x.segments) < x.fan {
		return nil
	}
	x.merging = true
	return append([]*segment(nil), x.segments[:x.fan]...)
}

func (x *Index) replace(n int, s *segment) {
	x.mu.Lock()
	defer x.mu.Unlock()
	rest := x.segments[n:]
	next := make([]*segment, 0, len(rest)+1)
	next = append(next, s)
	x.segments = append(next, rest...)
	x.merging = false
	x.merges++
}

// Merge makes one segment out of the oldest ones.
func (x *Index) Merge() bool {
	parts := x.claim()
	if parts == nil {
		return false
	}
	x.replace(len(parts), join(parts))
	return true
}

// DropOldest throws away the oldest segment, unless it is being merged.
func (x *Index) DropOldest() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.merging || len(x.segments) == 0 {
		return false
	}
	x.segments = append([]*segment(nil), x.segments[1:]...)
	return true
}

// Range calls f for all items from a to b.
func (x *Index) Range(a, b int64, f func(Item)) {
	x.mu.Lock()
	segs := append([]*segment(nil), x.segments...)
	x.mu.Unlock()
	for _, s := range segs {
		for _, it := range s.items {
			if it.At >= a && it.At <= b {
				f(it)
			}
		}
	}
}
