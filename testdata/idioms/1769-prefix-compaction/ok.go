// Package a holds time series data in immutable segments, which a compaction
// merges from time to time.
package a

import (
	"errors"
	"sort"
	"sync"
)

// ErrBusy is returned when a compaction is under way.
var ErrBusy = errors.New("compaction is running")

// Sample is one value of a series.
type Sample struct {
	At    int64
	Value float64
}

// segment is immutable.
type segment struct {
	samples []Sample // in order of time
}

// between returns the samples with from <= At < to.
func (s *segment) between(from, to int64) []Sample {
	i := sort.Search(len(s.samples), func(k int) bool { return s.samples[k].At >= from })
	j := sort.Search(len(s.samples), func(k int) bool { return s.samples[k].At >= to })
	if j < i {
		return nil
	}
	return s.samples[i:j]
}

// Series is the data of one series. Segments are added at the end; only the
// compaction takes any away.
type Series struct {
	mu         sync.RWMutex
	segments   []*segment
	compacting bool
	merges     int
}

// NewSeries returns a series without data.
func NewSeries() *Series {
	return &Series{}
}

// Write adds a segment with the given samples.
func (s *Series) Write(samples []Sample) {
	seg := &segment{samples: append([]Sample(nil), samples...)}
	sort.SliceStable(seg.samples, func(i, j int) bool { return seg.samples[i].At < seg.samples[j].At })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.segments = append(s.segments, seg)
}

// view returns the segments of this moment.
func (s *Series) view() []*segment {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]*segment(nil), s.segments...)
}

// Query returns the samples with from <= At < to in order of time.
func (s *Series) Query(from, to int64) []Sample {
	var out []Sample
	for _, seg := range s.view() {
		out = append(out, seg.between(from, to)...)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].At < out[j].At })
	return out
}

// begin claims the compaction and returns what is to be merged.
func (s *Series) begin() ([]*segment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compacting {
		return nil, ErrBusy
	}
	if len(s.segments) < 2 {
		return nil, nil
	}
	s.compacting = true
	return append([]*segment(nil), s.segments...), nil
}

// finish puts merged in the place of the first n segments.
func (s *Series) finish(merged *segment, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.segments = append([]*segment{merged}, s.segments[n:]...)
	s.compacting = false
	s.merges++
}

// Compact merges the segments that are there when it begins. Writes go on
// meanwhile.
func (s *Series) Compact() error {
	inputs, err := s.begin()
	if err != nil || len(inputs) == 0 {
		return err
	}
	s.finish(merge(inputs), len(inputs))
	return nil
}

func merge(inputs []*segment) *segment {
	n := 0
	for _, seg := range inputs {
		n += len(seg.samples)
	}
	all := make([]Sample, 0, n)
	for _, seg := range inputs {
		all = append(all, seg.samples...)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At < all[j].At })
	return &segment{samples: all}
}

// Segments returns the number of segments.
func (s *Series) Segments() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.segments)
}

// Merges returns the number of compactions.
func (s *Series) Merges() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.merges
}
