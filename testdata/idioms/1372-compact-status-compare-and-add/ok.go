package badger

import (
	"errors"
	"math"
	"sync"
	"time"
)

var errFillTables = errors.New("unable to fill tables")

type keyRange struct {
	left, right int
}

func (r keyRange) overlapsWith(dst keyRange) bool {
	return r.left <= dst.right && dst.left <= r.right
}

type levelCompactStatus struct {
	ranges  []keyRange
	delSize int64
}

func (lcs *levelCompactStatus) overlapsWith(dst keyRange) bool {
	for _, r := range lcs.ranges {
		if r.overlapsWith(dst) {
			return true
		}
	}
	return false
}

func (lcs *levelCompactStatus) remove(dst keyRange) {
	for i, r := range lcs.ranges {
		if r == dst {
			lcs.ranges = append(lcs.ranges[:i], lcs.ranges[i+1:]...)
			return
		}
	}
}

type compactDef struct {
	level    int
	rng      keyRange
	thisSize int64
}

// compactStatus holds the compactions that are running.
type compactStatus struct {
	sync.RWMutex
	levels []*levelCompactStatus
}

func (cs *compactStatus) overlapsWith(level int, this keyRange) bool {
	cs.RLock()
	defer cs.RUnlock()
	return cs.levels[level].overlapsWith(this)
}

func (cs *compactStatus) delSize(l int) int64 {
	cs.RLock()
	defer cs.RUnlock()
	return cs.levels[l].delSize
}

// compareAndAdd will check whether we can run this compactDef. That it doesn't
// overlap with any other running compaction. If it can be run, it would store
// this run in the compactStatus state.
func (cs *compactStatus) compareAndAdd(cd compactDef) bool {
	cs.Lock()
	defer cs.Unlock()
	this, next := cs.levels[cd.level], cs.levels[cd.level+1]
	if this.overlapsWith(cd.rng) || next.overlapsWith(cd.rng) {
		return false
	}
	this.ranges = append(this.ranges, cd.rng)
	next.ranges = append(next.ranges, cd.rng)
	this.delSize += cd.thisSize
	return true
}

func (cs *compactStatus) delete(cd compactDef) {
	cs.Lock()
	defer cs.Unlock()
	cs.levels[cd.level].delSize -= cd.thisSize
	cs.levels[cd.level].remove(cd.rng)
	cs.levels[cd.level+1].remove(cd.rng)
}

type levelsController struct {
	cstatus compactStatus
	tables  [][]keyRange // not changed after opening
	compact func(cd compactDef) error
}

func newLevelsController(tables [][]keyRange, compact func(compactDef) error) *levelsController {
	s := &levelsController{tables: tables, compact: compact}
	for range len(tables) + 1 {
		s.cstatus.levels = append(s.cstatus.levels, &levelCompactStatus{})
	}
	return s
}

func (s *levelsController) startCompact(n int, stop <-chan struct{}) *sync.WaitGroup {
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-time.After(50 * time.Millisecond):
					s.doCompact(s.pickLevel())
				case <-stop:
					return
				}
			}
		}()
	}
	return &wg
}

// pickLevel returns the level with the least data being compacted away.
func (s *levelsController) pickLevel() int {
	best, size := 0, int64(math.MaxInt64)
	for l := range s.tables {
		if sz := s.cstatus.delSize(l); sz < size {
			best, size = l, sz
		}
	}
	return best
}

func (s *levelsController) fillTables(cd *compactDef) bool {
	for _, t := range s.tables[cd.level] {
		if s.cstatus.overlapsWith(cd.level, t) {
			continue
		}
		cd.rng, cd.thisSize = t, int64(t.right-t.left)
		if !s.cstatus.compareAndAdd(*cd) {
			continue
		}
		return true
	}
	return false
}

func (s *levelsController) doCompact(level int) error {
	cd := compactDef{level: level}
	if !s.fillTables(&cd) {
		return errFillTables
	}
	defer s.cstatus.delete(cd)
	return s.compact(cd)
}
