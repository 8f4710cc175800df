// Package compactor merges the segments of a log-structured index.
package compactor

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

type segment struct {
	data    map[string]uint64 // not modified after creation
	merging bool
}

// MergeFunc combines two neighbouring segments; the newer takes precedence.
type MergeFunc func(ctx context.Context, older, newer map[string]uint64) (map[string]uint64, error)

// Index is a list of segments.
type Index struct {
	merge  MergeFunc
	target int

	mu       sync.RWMutex
	segments []*segment // oldest first
	merges   int        // under way
	failures int
}

// New returns an empty index that tries to have no more than target segments.
func New(target int, merge MergeFunc) *Index {
	return &Index{merge: merge, target: target}
}

// Flush adds a segment with the newest postings.
func (x *Index) Flush(data map[string]uint64) {
	s := &segment{data: maps.Clone(data)}
	x.mu.Lock()
	x.segments = append(x.segments, s)
	x.mu.Unlock()
}

// Lookup returns the newest posting of term.
func (x *Index) Lookup(term string) (uint64, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, s := range slices.Backward(x.segments) {
		if p, ok := s.data[term]; ok {
			return p, true
		}
	}
	return 0, false
}

// pick chooses the smallest pair of neighbours that no worker is busy with.
func (x *Index) pick() (older, newer *segment) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.segments)-x.merges <= x.target {
		return nil, nil
	}
	best := -1
	for i := 0; i+1 < len(x.segments); i++ {
		a, b := x.segments[i], x.segments[i+1]
		if a.merging || b.merging {
			continue
		}
		if n := len(a.data) + len(b.data); best < 0 || n < best {
			best, older, newer = n, a, b
		}
	}
	if older != nil {
		older.merging, newer.merging = true, true
		x.merges++
	}
	return older, newer
}

// compactOnce merges one pair and reports whether it did.
func (x *Index) compactOnce(ctx context.Context) bool {
	older, newer := x.pick()
	if older == nil {
		return false
	}
	data, err := x.merge(ctx, older.data, newer.data)

	x.mu.Lock()
	defer x.mu.Unlock()
	x.merges--
	if err != nil {
		older.merging, newer.merging = false, false
		x.failures++
		return false
	}
	i := slices.Index(x.segments, older)
	x.segments = slices.Replace(x.segments, i, i+2, &segment{data: data})
	return true
}

// Failures counts the merges that did not succeed.
func (x *Index) Failures() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.failures
}

// Run compacts with the given number of workers until ctx is done.
func (x *Index) Run(ctx context.Context, workers int, idle time.Duration) {
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				if x.compactOnce(ctx) {
					continue
				}
				select {
				case <-ctx.Done():
				case <-time.After(idle):
				}
			}
		}()
	}
	wg.Wait()
}
