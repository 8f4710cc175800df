// Package bug is a time series store made of immutable segments, oldest first.
package bug

import (
	"slices"
	"sort"
	"sync"
	"time"
)

// Point is a value at a time.
type Point struct {
	At    time.Time
	Value float64
}

// segment never changes.
type segment struct {
	points   []Point // sorted by At
	from, to time.Time
}

func newSegment(pts []Point) *segment {
	pts = slices.Clone(pts)
	slices.SortFunc(pts, func(a, b Point) int { return a.At.Compare(b.At) })
	return &segment{points: pts, from: pts[0].At, to: pts[len(pts)-1].At}
}

// Store takes sealed batches, merges small segments and forgets old ones.
type Store struct {
	mu       sync.RWMutex
	segments []*segment

	merging sync.Mutex // one merge at a time
	target  int        // points in a segment that is merged no further
}

func NewStore(target int) *Store { return &Store{target: target} }

// Flush adds a batch as a new segment.
func (s *Store) Flush(batch []Point) {
	if len(batch) == 0 {
		return
	}
	seg := newSegment(batch)
	s.mu.Lock()
	s.segments = append(s.segments, seg)
	s.mu.Unlock()
}

// Retain forgets the leading segments that end before t.
func (s *Store) Retain(t time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(s.segments) && s.segments[n].to.Before(t) {
		n++
	}
	s.segments = slices.Delete(s.segments, 0, n)
	return n
}

// Query returns the points in [from, to).
func (s *Store) Query(from, to time.Time) []Point {
	s.mu.RLock()
	segs := slices.Clone(s.segments)
	s.mu.RUnlock()
	var out []Point
	for _, seg := range segs {
		if seg.to.Before(from) || !seg.from.Before(to) {
			continue
		}
		i := sort.Search(len(seg.points), func(i int) bool { return !seg.points[i].At.Before(from) })
		for ; i < len(seg.points) && seg.points[i].At.Before(to); i++ {
			out = append(out, seg.points[i])
		}
	}
	return out
}

type plan struct {
	at     int
	inputs []*segment
}

func (s *Store) plan() (plan, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := 0; i+1 < len(s.segments); i++ {
		size, j := 0, i
		for j < len(s.segments) && size+len(s.segments[j].points) <= s.target {
			size += len(s.segments[j].points)
			j++
		}
		if j-i >= 2 {
			return plan{at: i, inputs: slices.Clone(s.segments[i:j])}, true
		}
	}
	return plan{}, false
}

func merge(in []*segment) *segment {
	var pts []Point
	for _, seg := range in {
		pts = append(pts, seg.points...)
	}
	return newSegment(pts)
}

func (s *Store) install(p plan, out *segment) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := p.at + len(p.inputs)
	if end > len(s.segments) {
		return false
	}
	s.segments = slices.Replace(s.segments, p.at, end, out)
	return true
}

// Compact merges one run of small segments; false means there was none.
func (s *Store) Compact() bool {
	s.merging.Lock()
	defer s.merging.Unlock()
	p, ok := s.plan()
	if !ok {
		return false
	}
	return s.install(p, merge(p.inputs))
}
