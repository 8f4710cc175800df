// Package levels compacts the tables of a log structured store.
package levels

import (
	"errors"
	"log"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

var errFillTables = errors.New("unable to fill tables")

// Table is a sorted file; it never changes.
type Table struct {
	id       uint64
	smallest string
	biggest  string
	size     int64
}

type keyRange struct{ left, right string }

func (r keyRange) overlapsWith(o keyRange) bool { return r.left <= o.right && o.left <= r.right }

func getKeyRange(tables ...*Table) keyRange {
	kr := keyRange{tables[0].smallest, tables[0].biggest}
	for _, t := range tables[1:] {
		kr.left, kr.right = min(kr.left, t.smallest), max(kr.right, t.biggest)
	}
	return kr
}

// levelHandler holds the tables of one level, sorted and disjoint.
type levelHandler struct {
	sync.RWMutex
	level   int
	tables  []*Table
	maxSize int64
}

func (s *levelHandler) totalSize() (n int64) {
	s.RLock()
	defer s.RUnlock()
	for _, t := range s.tables {
		n += t.size
	}
	return n
}

// replaceTables takes out the old tables and puts in the new ones.
func (s *levelHandler) replaceTables(toDel, toAdd []*Table) {
	s.Lock()
	defer s.Unlock()
	del := make(map[uint64]struct{}, len(toDel))
	for _, t := range toDel {
		del[t.id] = struct{}{}
	}
	var tables []*Table
	for _, t := range s.tables {
		if _, ok := del[t.id]; !ok {
			tables = append(tables, t)
		}
	}
	tables = append(tables, toAdd...)
	sort.Slice(tables, func(i, j int) bool { return tables[i].smallest < tables[j].smallest })
	s.tables = tables
}

// compactDef describes one compaction.
type compactDef struct {
	thisLevel, nextLevel *levelHandler
	top, bot             []*Table
	thisRange, nextRange keyRange
}

func (cd *compactDef) lockLevels() {
	cd.thisLevel.RLock()
	cd.nextLevel.RLock()
}

func (cd *compactDef) unlockLevels() {
	cd.nextLevel.RUnlock()
	cd.thisLevel.RUnlock()
}

// compactStatus knows the ranges that are being compacted.
type compactStatus struct {
	sync.RWMutex
	levels [][]keyRange
}

func overlaps(ranges []keyRange, kr keyRange) bool {
	for _, r := range ranges {
		if r.overlapsWith(kr) {
			return true
		}
	}
	return false
}

func (cs *compactStatus) overlapsWith(level int, kr keyRange) bool {
	cs.RLock()
	defer cs.RUnlock()
	return overlaps(cs.levels[level], kr)
}

// compareAndAdd will check whether we can run this compactDef. That it doesn't overlap with any
// other running compaction. If it can be run, it would store this run in the compactStatus state.
func (cs *compactStatus) compareAndAdd(cd *compactDef) bool {
	cs.Lock()
	defer cs.Unlock()
	if overlaps(cs.levels[cd.thisLevel.level], cd.thisRange) || overlaps(cs.levels[cd.nextLevel.level], cd.nextRange) {
		return false
	}
	cs.levels[cd.thisLevel.level] = append(cs.levels[cd.thisLevel.level], cd.thisRange)
	cs.levels[cd.nextLevel.level] = append(cs.levels[cd.nextLevel.level], cd.nextRange)
	return true
}

func (cs *compactStatus) delete(cd *compactDef) {
	cs.Lock()
	defer cs.Unlock()
	for level, kr := range map[int]keyRange{cd.thisLevel.level: cd.thisRange, cd.nextLevel.level: cd.nextRange} {
		ranges := cs.levels[level]
		for i, r := range ranges {
			if r == kr {
				ranges[i] = ranges[len(ranges)-1]
				cs.levels[level] = ranges[:len(ranges)-1]
				break
			}
		}
	}
}

type levelsController struct {
	levels   []*levelHandler
	cstatus  compactStatus
	nextFile atomic.Uint64
	merge    func(tables []*Table, id uint64) (*Table, error)
	closer   chan struct{}
	wg       sync.WaitGroup
}

func newLevelsController(levels []*levelHandler, merge func([]*Table, uint64) (*Table, error)) *levelsController {
	return &levelsController{
		levels:  levels,
		cstatus: compactStatus{levels: make([][]keyRange, len(levels))},
		merge:   merge,
		closer:  make(chan struct{}),
	}
}

func (s *levelsController) startCompact(workers int) {
	s.wg.Add(workers)
	for range workers {
		go s.runCompactor()
	}
}

func (s *levelsController) runCompactor() {
	defer s.wg.Done()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			for l := range len(s.levels) - 1 {
				if s.levels[l].totalSize() <= s.levels[l].maxSize {
					continue
				}
				if err := s.doCompact(l); err != nil && err != errFillTables {
					log.Printf("compacting level %d: %v", l, err)
				}
			}
		case <-s.closer:
			return
		}
	}
}

func (s *levelsController) fillTables(cd *compactDef) bool {
	cd.lockLevels()
	defer cd.unlockLevels()
	for _, t := range cd.thisLevel.tables {
		cd.top = []*Table{t}
		cd.thisRange = getKeyRange(t)
		// If we're already compacting this range, don't do anything.
		if s.cstatus.overlapsWith(cd.thisLevel.level, cd.thisRange) {
			continue
		}
		cd.bot = nil
		for _, b := range cd.nextLevel.tables {
			if getKeyRange(b).overlapsWith(cd.thisRange) {
				cd.bot = append(cd.bot, b)
			}
		}
		cd.nextRange = getKeyRange(append([]*Table{t}, cd.bot...)...)
		if s.cstatus.overlapsWith(cd.nextLevel.level, cd.nextRange) {
			continue
		}
		if !s.cstatus.compareAndAdd(cd) {
			continue
		}
		return true
	}
	return false
}

func (s *levelsController) doCompact(l int) error {
	cd := &compactDef{thisLevel: s.levels[l], nextLevel: s.levels[l+1]}
	if !s.fillTables(cd) {
		return errFillTables
	}
	defer s.cstatus.delete(cd) // Remove the ranges from compaction status.

	t, err := s.merge(append(append([]*Table(nil), cd.top...), cd.bot...), s.nextFile.Add(1))
	if err != nil {
		return err
	}
	cd.nextLevel.replaceTables(cd.bot, []*Table{t})
	cd.thisLevel.replaceTables(cd.top, nil)
	return nil
}

func (s *levelsController) close() {
	close(s.closer)
	s.wg.Wait()
}
