// Package ok keeps sorted tables in levels and merges them downwards.
package ok

import (
	"maps"
	"sync"
)

// table is a set of keys; it is never changed.
type table struct {
	lo, hi string
	kv     map[string]string
}

type keyRange struct {
	lo, hi string
	all    bool
}

func (r keyRange) overlaps(o keyRange) bool {
	return r.all || o.all || (r.lo <= o.hi && o.lo <= r.hi)
}

func rangeOf(ts []*table) keyRange {
	r := keyRange{lo: ts[0].lo, hi: ts[0].hi}
	for _, t := range ts[1:] {
		r.lo, r.hi = min(r.lo, t.lo), max(r.hi, t.hi)
	}
	return r
}

// level holds tables, the newest last. Their ranges overlap in level 0 only.
type level struct {
	n int

	mu     sync.RWMutex
	tables []*table
}

func (l *level) get(key string) (string, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i := len(l.tables) - 1; i >= 0; i-- {
		if v, ok := l.tables[i].kv[key]; ok {
			return v, true
		}
	}
	return "", false
}

func (l *level) replace(gone []*table, fresh ...*table) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := make(map[*table]bool)
	for _, t := range gone {
		old[t] = true
	}
	var kept []*table
	for _, t := range l.tables {
		if !old[t] {
			kept = append(kept, t)
		}
	}
	l.tables = append(kept, fresh...)
}

// claims are the ranges of running jobs by level.
type claims struct {
	mu     sync.RWMutex
	ranges map[int][]keyRange
}

func (c *claims) overlap(n int, r keyRange) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.overlapLocked(n, r)
}

func (c *claims) overlapLocked(n int, r keyRange) bool {
	for _, o := range c.ranges[n] {
		if o.overlaps(r) {
			return true
		}
	}
	return false
}

func (c *claims) tryAdd(j *job) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.overlapLocked(j.upper.n, j.upperRange) || c.overlapLocked(j.lower.n, j.lowerRange) {
		return false
	}
	c.ranges[j.upper.n] = append(c.ranges[j.upper.n], j.upperRange)
	c.ranges[j.lower.n] = append(c.ranges[j.lower.n], j.lowerRange)
	return true
}

func (c *claims) remove(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	drop := func(n int, r keyRange) {
		for i, o := range c.ranges[n] {
			if o == r {
				c.ranges[n] = append(c.ranges[n][:i], c.ranges[n][i+1:]...)
				return
			}
		}
	}
	drop(j.upper.n, j.upperRange)
	drop(j.lower.n, j.lowerRange)
}

// job moves tables from one level to the next.
type job struct {
	upper, lower           *level
	top, bottom            []*table
	upperRange, lowerRange keyRange
}

// Levels is the store.
type Levels struct {
	levels []*level
	claims claims
}

// NewLevels returns an empty store.
func NewLevels(n int) *Levels {
	ls := &Levels{claims: claims{ranges: make(map[int][]keyRange)}}
	for i := 0; i < n; i++ {
		ls.levels = append(ls.levels, &level{n: i})
	}
	return ls
}

// Flush adds a table to level 0.
func (ls *Levels) Flush(lo, hi string, kv map[string]string) {
	ls.levels[0].replace(nil, &table{lo, hi, kv})
}

// Get reads from the top downwards.
func (ls *Levels) Get(key string) (string, bool) {
	for _, l := range ls.levels {
		if v, ok := l.get(key); ok {
			return v, true
		}
	}
	return "", false
}

func (ls *Levels) pick(n int) *job {
	j := &job{upper: ls.levels[n], lower: ls.levels[n+1]}
	j.upper.mu.RLock()
	defer j.upper.mu.RUnlock()
	j.lower.mu.RLock()
	defer j.lower.mu.RUnlock()

	for i, t := range j.upper.tables {
		j.top = []*table{t}
		if n == 0 {
			j.top = append([]*table(nil), j.upper.tables...)
		}
		if n == 0 && i > 0 {
			break
		}
		span := rangeOf(j.top)
		j.upperRange = keyRange{lo: span.lo, hi: span.hi, all: n == 0}
		// If this range is being merged already, don't do anything.
		if ls.claims.overlap(n, j.upperRange) {
			continue
		}
		j.bottom = nil
		for _, b := range j.lower.tables {
			if rangeOf([]*table{b}).overlaps(span) {
				j.bottom = append(j.bottom, b)
			}
		}
		j.lowerRange = rangeOf(append([]*table{{lo: span.lo, hi: span.hi}}, j.bottom...))
		if ls.claims.tryAdd(j) {
			return j
		}
	}
	return nil
}

// Compact merges from level n to the next; several goroutines may call it.
func (ls *Levels) Compact(n int) bool {
	j := ls.pick(n)
	if j == nil {
		return false
	}
	defer ls.claims.remove(j)

	kv := make(map[string]string)
	for _, t := range append(append([]*table(nil), j.bottom...), j.top...) {
		maps.Copy(kv, t.kv)
	}
	j.lower.replace(j.bottom, &table{j.lowerRange.lo, j.lowerRange.hi, kv})
	j.upper.replace(j.top)
	return true
}
