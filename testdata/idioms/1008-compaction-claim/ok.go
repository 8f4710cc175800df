// Package compact merges the segments of a log-structured key-value store.
package compact

import (
	"context"
	"fmt"
	"log"
	"slices"
	"sync"
	"time"
)

// Record is a key with its value; a nil value deletes the key.
type Record struct {
	Key   string
	Value []byte
}

// Segment is an immutable sorted run of records.
type Segment struct {
	ID      uint64
	Records []Record
	busy    bool // guarded by Store.mu
}

// Store holds the segments. Flushes, lookups and several merge workers use it
// at the same time.
type Store struct {
	fanIn int

	mu       sync.RWMutex
	nextID   uint64
	segments []*Segment // oldest first
}

// NewStore returns a store that merges fanIn segments at a time.
func NewStore(fanIn int) *Store { return &Store{fanIn: max(fanIn, 2)} }

// Flush adds the sorted records of a memtable as the newest segment.
func (s *Store) Flush(records []Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	s.segments = append(s.segments, &Segment{ID: s.nextID, Records: records})
}

// Get returns the newest value of a key.
func (s *Store) Get(key string) ([]byte, bool) {
	s.mu.RLock()
	segs := slices.Clone(s.segments)
	s.mu.RUnlock()
	for _, seg := range slices.Backward(segs) {
		i, ok := slices.BinarySearchFunc(seg.Records, key, func(r Record, k string) int {
			if r.Key < k {
				return -1
			} else if r.Key > k {
				return 1
			}
			return 0
		})
		if ok {
			return seg.Records[i].Value, seg.Records[i].Value != nil
		}
	}
	return nil, false
}

// claim picks the oldest run of idle segments and reserves it.
func (s *Store) claim() (run []*Segment, oldest bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 0; i+s.fanIn <= len(s.segments); i++ {
		c := s.segments[i : i+s.fanIn]
		if slices.ContainsFunc(c, func(g *Segment) bool { return g.busy }) {
			continue
		}
		for _, g := range c {
			g.busy = true
		}
		return slices.Clone(c), i == 0
	}
	return nil, false
}

// unclaim gives a run back that could not be merged.
func (s *Store) unclaim(run []*Segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range run {
		g.busy = false
	}
}

// replace puts the merged records in the place of the run.
func (s *Store) replace(run []*Segment, merged []Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.segments, run[0])
	s.nextID++
	next := slices.Clone(s.segments[:i])
	next = append(next, &Segment{ID: s.nextID, Records: merged})
	s.segments = append(next, s.segments[i+len(run):]...)
}

// CompactOnce merges one run, if there is one.
func (s *Store) CompactOnce(ctx context.Context) (bool, error) {
	run, oldest := s.claim()
	if run == nil {
		return false, nil
	}
	newest := make(map[string][]byte)
	for _, seg := range run {
		if err := ctx.Err(); err != nil {
			s.unclaim(run)
			return false, fmt.Errorf("compact: %w", err)
		}
		for _, r := range seg.Records {
			newest[r.Key] = r.Value
		}
	}
	merged := make([]Record, 0, len(newest))
	for k, v := range newest {
		if v == nil && oldest {
			continue // nothing below for the deletion to hide
		}
		merged = append(merged, Record{Key: k, Value: v})
	}
	slices.SortFunc(merged, func(a, b Record) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	s.replace(run, merged)
	return true, nil
}

// Start runs the given number of merge workers until the context ends.
func (s *Store) Start(ctx context.Context, workers int, every time.Duration) *sync.WaitGroup {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			tick := time.NewTicker(every)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				if _, err := s.CompactOnce(ctx); err != nil {
					log.Print(err)
				}
			}
		})
	}
	return &wg
}
