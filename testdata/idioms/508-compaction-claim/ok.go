// Package ok merges the tables of two levels.
package ok

import (
	"sort"
	"sync"
	"sync/atomic"
)

type keyRange struct{ left, right string }

func (r keyRange) overlaps(o keyRange) bool { return r.left <= o.right && o.left <= r.right }

// table is immutable.
type table struct {
	id   uint64
	keys []string
}

func (t *table) span() keyRange { return keyRange{t.keys[0], t.keys[len(t.keys)-1]} }

type level struct {
	mu     sync.RWMutex
	num    int
	tables []*table
}

func (l *level) replace(del, add []*table) {
	l.mu.Lock()
	defer l.mu.Unlock()
	gone := make(map[uint64]bool, len(del))
	for _, t := range del {
		gone[t.id] = true
	}
	var kept []*table
	for _, t := range l.tables {
		if !gone[t.id] {
			kept = append(kept, t)
		}
	}
	l.tables = append(kept, add...)
	sort.Slice(l.tables, func(i, j int) bool { return l.tables[i].keys[0] < l.tables[j].keys[0] })
}

func (l *level) size() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.tables)
}

// status has the ranges that are being merged.
type status struct {
	mu     sync.Mutex
	ranges []keyRange
}

func (s *status) claim(r keyRange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.ranges {
		if o.overlaps(r) {
			return false
		}
	}
	s.ranges = append(s.ranges, r)
	return true
}

func (s *status) release(r keyRange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, o := range s.ranges {
		if o == r {
			s.ranges = append(s.ranges[:i], s.ranges[i+1:]...)
			return
		}
	}
	panic("range was not claimed")
}

type plan struct {
	top  *table
	bot  []*table
	span keyRange
}

// Levels has an upper and a lower level; only merges change the lower one.
type Levels struct {
	upper, lower level
	busy         status
	flushMu      sync.Mutex
	nextID       atomic.Uint64
	limit        int
	kick         chan struct{}
}

// New returns empty levels with some merge goroutines.
func New(limit, workers int) *Levels {
	ls := &Levels{limit: limit, kick: make(chan struct{}, workers)}
	ls.lower.num = 1
	for i := 0; i < workers; i++ {
		go ls.worker()
	}
	return ls
}

// Flush adds a table to the upper level unless its keys overlap with one there.
func (ls *Levels) Flush(keys []string) bool {
	if len(keys) == 0 {
		return false
	}
	ks := append([]string(nil), keys...)
	sort.Strings(ks)
	t := &table{id: ls.nextID.Add(1), keys: ks}

	ls.flushMu.Lock()
	defer ls.flushMu.Unlock()
	ls.upper.mu.RLock()
	for _, o := range ls.upper.tables {
		if o.span().overlaps(t.span()) {
			ls.upper.mu.RUnlock()
			return false
		}
	}
	ls.upper.mu.RUnlock()
	ls.upper.replace(nil, []*table{t})

	select {
	case ls.kick <- struct{}{}:
	default:
	}
	return true
}

func (ls *Levels) worker() {
	for range ls.kick {
		for ls.upper.size() > ls.limit {
			p, ok := ls.choose()
			if !ok {
				break
			}
			ls.merge(p)
			ls.busy.release(p.span)
		}
	}
}

func (ls *Levels) choose() (plan, bool) {
	ls.upper.mu.RLock()
	defer ls.upper.mu.RUnlock()
	ls.lower.mu.RLock()
	defer ls.lower.mu.RUnlock()

	for _, t := range ls.upper.tables {
		p := plan{top: t, span: t.span()}
		for _, b := range ls.lower.tables {
			if s := b.span(); s.overlaps(t.span()) {
				p.bot = append(p.bot, b)
				p.span.left = min(p.span.left, s.left)
				p.span.right = max(p.span.right, s.right)
			}
		}
		if ls.busy.claim(p.span) {
			return p, true
		}
	}
	return plan{}, false
}

func (ls *Levels) merge(p plan) {
	seen := make(map[string]bool)
	for _, t := range append([]*table{p.top}, p.bot...) {
		for _, k := range t.keys {
			seen[k] = true
		}
	}
	keys := make([]string, 0, len(seen))
	for k := range seen {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	out := &table{id: ls.nextID.Add(1), keys: keys}

	ls.lower.replace(p.bot, []*table{out})
	ls.upper.replace([]*table{p.top}, nil)
}
