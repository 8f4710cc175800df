// Package ok compacts levels of tables with several workers.
package ok

import (
	"sort"
	"sync"
	"time"
)

type keyRange struct{ left, right string }

func (r keyRange) overlapsWith(dst keyRange) bool {
	return r.left <= dst.right && dst.left <= r.right
}

func (r *keyRange) extend(kr keyRange) {
	r.left = min(r.left, kr.left)
	r.right = max(r.right, kr.right)
}

// Table is an immutable, sorted file.
type Table struct {
	ID     uint64
	Size   int64
	Bounds keyRange
}

type levelHandler struct {
	sync.RWMutex
	level  int
	tables []*Table
}

func (s *levelHandler) replaceTables(toDel, toAdd []*Table) {
	s.Lock()
	defer s.Unlock()
	toDelMap := make(map[uint64]struct{})
	for _, t := range toDel {
		toDelMap[t.ID] = struct{}{}
	}
	var newTables []*Table
	for _, t := range s.tables {
		if _, found := toDelMap[t.ID]; !found {
			newTables = append(newTables, t)
		}
	}
	s.tables = append(newTables, toAdd...)
	if s.level > 0 {
		sort.Slice(s.tables, func(i, j int) bool { return s.tables[i].Bounds.left < s.tables[j].Bounds.left })
	}
}

func (s *levelHandler) totalSize() (n int64) {
	s.RLock()
	defer s.RUnlock()
	for _, t := range s.tables {
		n += t.Size
	}
	return n
}

type compactDef struct {
	thisLevel, nextLevel *levelHandler
	top, bot             []*Table
	thisRange, nextRange keyRange
}

type compactStatus struct {
	sync.RWMutex
	levels [][]keyRange
}

func (cs *compactStatus) overlapsLocked(level int, kr keyRange) bool {
	for _, r := range cs.levels[level] {
		if r.overlapsWith(kr) {
			return true
		}
	}
	return false
}

// compareAndAdd will check whether we can run this compactDef. That it doesn't overlap with any
// other running compaction. If it can be run, it would store this run in the compactStatus state.
func (cs *compactStatus) compareAndAdd(cd *compactDef) bool {
	cs.Lock()
	defer cs.Unlock()
	tl, nl := cd.thisLevel.level, cd.nextLevel.level
	if cs.overlapsLocked(tl, cd.thisRange) || cs.overlapsLocked(nl, cd.nextRange) {
		return false
	}
	cs.levels[tl] = append(cs.levels[tl], cd.thisRange)
	cs.levels[nl] = append(cs.levels[nl], cd.nextRange)
	return true
}

func (cs *compactStatus) delete(cd *compactDef) {
	cs.Lock()
	defer cs.Unlock()
	remove := func(level int, kr keyRange) {
		for i, r := range cs.levels[level] {
			if r == kr {
				cs.levels[level] = append(cs.levels[level][:i], cs.levels[level][i+1:]...)
				return
			}
		}
	}
	remove(cd.thisLevel.level, cd.thisRange)
	remove(cd.nextLevel.level, cd.nextRange)
}

// Controller owns the levels.
type Controller struct {
	levels  []*levelHandler
	cstatus compactStatus
	maxSize func(level int) int64
	// merge writes the tables, newest last, to new ones within their bounds.
	merge func(tables []*Table) ([]*Table, error)
}

// New starts the workers, until done is closed.
func New(levels, workers int, maxSize func(level int) int64, merge func([]*Table) ([]*Table, error), done <-chan struct{}) *Controller {
	s := &Controller{maxSize: maxSize, merge: merge}
	for i := 0; i < levels; i++ {
		s.levels = append(s.levels, &levelHandler{level: i})
	}
	s.cstatus.levels = make([][]keyRange, levels)
	for i := 0; i < workers; i++ {
		go s.runCompactor(done)
	}
	return s
}

// AddLevel0Table adds a new table.
func (s *Controller) AddLevel0Table(t *Table) {
	s.levels[0].replaceTables(nil, []*Table{t})
}

func (s *Controller) runCompactor(done <-chan struct{}) {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			for _, l := range s.pickCompactLevels() {
				if s.doCompact(l) {
					break
				}
			}
		case <-done:
			return
		}
	}
}

// pickCompactLevels determines which level to compact.
func (s *Controller) pickCompactLevels() (prios []int) {
	for _, l := range s.levels[:len(s.levels)-1] {
		if l.totalSize() > s.maxSize(l.level) {
			prios = append(prios, l.level)
		}
	}
	return prios
}

// fillTables chooses what to compact and registers it.
func (s *Controller) fillTables(cd *compactDef) bool {
	cd.thisLevel.RLock()
	defer cd.thisLevel.RUnlock()
	cd.nextLevel.RLock()
	defer cd.nextLevel.RUnlock()

	if len(cd.thisLevel.tables) == 0 {
		return false
	}
	if cd.thisLevel.level == 0 {
		// The tables overlap, so an older one may not be left behind.
		cd.top = append(cd.top, cd.thisLevel.tables...)
	} else {
		cd.top = append(cd.top, cd.thisLevel.tables[0])
	}
	cd.thisRange = cd.top[0].Bounds
	for _, t := range cd.top {
		cd.thisRange.extend(t.Bounds)
	}
	cd.nextRange = cd.thisRange
	for _, t := range cd.nextLevel.tables {
		if t.Bounds.overlapsWith(cd.thisRange) {
			cd.bot = append(cd.bot, t)
			cd.nextRange.extend(t.Bounds)
		}
	}
	return s.cstatus.compareAndAdd(cd)
}

// doCompact picks some tables of the level and moves them to the next one.
func (s *Controller) doCompact(level int) bool {
	cd := &compactDef{thisLevel: s.levels[level], nextLevel: s.levels[level+1]}
	if !s.fillTables(cd) {
		return false
	}
	defer s.cstatus.delete(cd) // Remove the ranges from compaction status.

	newTables, err := s.merge(append(append([]*Table(nil), cd.bot...), cd.top...))
	if err != nil {
		return false
	}
	cd.nextLevel.replaceTables(cd.bot, newTables)
	cd.thisLevel.replaceTables(cd.top, nil)
	return true
}
