// Correct: pick marks the tables busy in the same section that chooses them.
// Nobody else picks, drops or moves a busy table, so after the unlocked merge
// the inputs are still there and still belong to this compaction.

// Package ok compacts the levels of a log-structured store.
package ok

import (
	"errors"
	"slices"
	"sync"
)

var ErrBusy = errors.New("lsm: table is being compacted")

type table struct {
	num  uint64
	keys []string // sorted, never changed
	busy bool     // guarded by Levels.mu
}

// Levels is the set of live tables.
type Levels struct {
	mu     sync.Mutex
	levels [][]*table
	next   uint64
	fanout int
}

func New(depth, fanout int) *Levels {
	return &Levels{levels: make([][]*table, depth), fanout: fanout}
}

// Add puts a flushed table on the first level.
func (l *Levels) Add(keys []string) uint64 {
	keys = slices.Clone(keys)
	slices.Sort(keys)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	l.levels[0] = append(l.levels[0], &table{num: l.next, keys: keys})
	return l.next
}

type job struct {
	level  int
	inputs []*table
}

func (l *Levels) pick() *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := 0; i+1 < len(l.levels); i++ {
		var in []*table
		for _, t := range l.levels[i] {
			if !t.busy {
				in = append(in, t)
			}
		}
		if len(in) < l.fanout {
			continue
		}
		for _, t := range in {
			t.busy = true
		}
		return &job{level: i, inputs: in}
	}
	return nil
}

func (j *job) merge() []string {
	var keys []string
	for _, t := range j.inputs {
		keys = append(keys, t.keys...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (l *Levels) finish(j *job, keys []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.levels[j.level] = slices.DeleteFunc(l.levels[j.level], func(t *table) bool {
		return slices.Contains(j.inputs, t)
	})
	l.next++
	l.levels[j.level+1] = append(l.levels[j.level+1], &table{num: l.next, keys: keys})
}

// Compact does one compaction if there is one to do. Any number of workers
// may call it.
func (l *Levels) Compact() bool {
	j := l.pick()
	if j == nil {
		return false
	}
	l.finish(j, j.merge())
	return true
}

// Drop removes a table.
func (l *Levels) Drop(num uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, ts := range l.levels {
		for k, t := range ts {
			if t.num != num {
				continue
			}
			if t.busy {
				return ErrBusy
			}
			l.levels[i] = slices.Delete(ts, k, k+1)
			return nil
		}
	}
	return nil
}

// Has tells whether a key is in any table.
func (l *Levels) Has(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ts := range l.levels {
		for _, t := range ts {
			if _, ok := slices.BinarySearch(t.keys, key); ok {
				return true
			}
		}
	}
	return false
}
