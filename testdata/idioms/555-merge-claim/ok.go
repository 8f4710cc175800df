// Package segments keeps sorted rows in segments that are merged in the
// background.
package segments

import (
	"errors"
	"slices"
	"sync"
	"time"
)

var errStopped = errors.New("stopped")

const (
	minMerge = 4
	maxMerge = 16
)

// segment is a sorted set of rows. The rows are not changed once made.
type segment struct {
	rows    []int64
	inMerge bool // protected by Table.mu
}

// Table is a set of rows.
type Table struct {
	stop chan struct{}
	wg   sync.WaitGroup

	mu       sync.Mutex
	segments []*segment
	stopped  bool
}

// Open returns an empty table with the given number of mergers.
func Open(mergers int) *Table {
	t := &Table{stop: make(chan struct{})}
	for range mergers {
		t.wg.Add(1)
		go t.merger()
	}
	return t
}

// Add adds rows.
func (t *Table) Add(rows []int64) error {
	s := &segment{rows: slices.Sorted(slices.Values(rows))}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return errStopped
	}
	t.segments = append(t.segments, s)
	return nil
}

// Count returns how many rows are in the range [lo, hi).
func (t *Table) Count(lo, hi int64) int {
	t.mu.Lock()
	segs := slices.Clone(t.segments)
	t.mu.Unlock()

	n := 0
	for _, s := range segs {
		i, _ := slices.BinarySearch(s.rows, lo)
		j, _ := slices.BinarySearch(s.rows, hi)
		n += max(j-i, 0)
	}
	return n
}

// takeLocked selects the smallest segments that nobody is merging and marks
// them. It returns nil if there are too few.
func (t *Table) takeLocked() []*segment {
	var free []*segment
	for _, s := range t.segments {
		if !s.inMerge {
			free = append(free, s)
		}
	}
	if len(free) < minMerge {
		return nil
	}
	slices.SortFunc(free, func(a, b *segment) int { return len(a.rows) - len(b.rows) })
	free = free[:min(len(free), maxMerge)]
	for _, s := range free {
		s.inMerge = true
	}
	return free
}

func (t *Table) release(segs []*segment) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range segs {
		if !s.inMerge {
			panic("segment is not being merged")
		}
		s.inMerge = false
	}
}

func (t *Table) merger() {
	defer t.wg.Done()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-t.stop:
			return
		}
		for {
			t.mu.Lock()
			segs := t.takeLocked()
			t.mu.Unlock()
			if segs == nil {
				break
			}
			merged, err := t.merge(segs)
			if err != nil {
				t.release(segs)
				return
			}
			t.swap(segs, merged)
		}
	}
}

// merge makes one segment of segs. This may take long.
func (t *Table) merge(segs []*segment) (*segment, error) {
	out := &segment{}
	pos := make([]int, len(segs))
	for {
		select {
		case <-t.stop:
			return nil, errStopped
		default:
		}
		best := -1
		for i, s := range segs {
			if pos[i] < len(s.rows) && (best < 0 || s.rows[pos[i]] < segs[best].rows[pos[best]]) {
				best = i
			}
		}
		if best < 0 {
			return out, nil
		}
		out.rows = append(out.rows, segs[best].rows[pos[best]])
		pos[best]++
	}
}

// swap replaces old by merged.
func (t *Table) swap(old []*segment, merged *segment) {
	drop := make(map[*segment]bool, len(old))
	for _, s := range old {
		drop[s] = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.segments)
	kept := slices.DeleteFunc(slices.Clone(t.segments), func(s *segment) bool { return drop[s] })
	if n-len(kept) != len(old) {
		panic("merged segments are not in the table")
	}
	t.segments = append(kept, merged)
}

// Close ends the mergers.
func (t *Table) Close() {
	t.mu.Lock()
	if t.stopped {
		t.mu.Unlock()
		return
	}
	t.stopped = true
	t.mu.Unlock()
	close(t.stop)
	t.wg.Wait()
}
