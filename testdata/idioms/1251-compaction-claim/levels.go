package badger

import (
	"errors"
	"log"
	"sync"
	"time"
)

var errFillTables = errors.New("Unable to fill tables")

// Table is an immutable file of sorted keys.
type Table struct {
	id                uint64
	smallest, biggest string
	size              int64
}

type keyRange struct {
	left, right string
}

func (r keyRange) overlapsWith(dst keyRange) bool {
	return !(r.right < dst.left || dst.right < r.left)
}

func getKeyRange(tables ...*Table) keyRange {
	kr := keyRange{tables[0].smallest, tables[0].biggest}
	for _, t := range tables[1:] {
		kr.left = min(kr.left, t.smallest)
		kr.right = max(kr.right, t.biggest)
	}
	return kr
}

type levelHandler struct {
	// Guards tables, totalSize.
	sync.RWMutex
	tables    []*Table
	totalSize int64
	// The following are initialized once and const.
	level   int
	maxSize int64
}

func (s *levelHandler) getTotalSize() int64 {
	s.RLock()
	defer s.RUnlock()
	return s.totalSize
}

func (s *levelHandler) replaceTables(toDel, toAdd []*Table) {
	s.Lock()
	defer s.Unlock()
	del := make(map[uint64]struct{})
	for _, t := range toDel {
		del[t.id] = struct{}{}
		s.totalSize -= t.size
	}
	var newTables []*Table
	for _, t := range s.tables {
		if _, ok := del[t.id]; !ok {
			newTables = append(newTables, t)
		}
	}
	for _, t := range toAdd {
		newTables = append(newTables, t)
		s.totalSize += t.size
	}
	s.tables = newTables
}

type compactStatus struct {
	sync.RWMutex
	levels [][]keyRange
}

func (cs *compactStatus) overlapsWith(level int, this keyRange) bool {
	cs.RLock()
	defer cs.RUnlock()
	return cs.overlapsLocked(level, this)
}

func (cs *compactStatus) overlapsLocked(level int, this keyRange) bool {
	for _, r := range cs.levels[level] {
		if r.overlapsWith(this) {
			return true
		}
	}
	return false
}

// compareAndAdd will check whether we can run this compactDef. That it doesn't overlap with any
// other running compaction. If it can be run, it would store this run in the compactStatus state.
// Both levels are read locked by the caller.
func (cs *compactStatus) compareAndAdd(cd compactDef) bool {
	cs.Lock()
	defer cs.Unlock()

	if cs.overlapsLocked(cd.thisLevel.level, cd.thisRange) {
		return false
	}
	if cs.overlapsLocked(cd.nextLevel.level, cd.nextRange) {
		return false
	}
	cs.levels[cd.thisLevel.level] = append(cs.levels[cd.thisLevel.level], cd.thisRange)
	cs.levels[cd.nextLevel.level] = append(cs.levels[cd.nextLevel.level], cd.nextRange)
	return true
}

func (cs *compactStatus) removeLocked(level int, dst keyRange) {
	final := cs.levels[level][:0]
	var found bool
	for _, r := range cs.levels[level] {
		if r == dst && !found {
			found = true
			continue
		}
		final = append(final, r)
	}
	cs.levels[level] = final
}

func (cs *compactStatus) delete(cd compactDef) {
	cs.Lock()
	defer cs.Unlock()
	cs.removeLocked(cd.thisLevel.level, cd.thisRange)
	cs.removeLocked(cd.nextLevel.level, cd.nextRange)
}

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

type levelsController struct {
	levels  []*levelHandler
	cstatus compactStatus
	nextID  chan uint64
	quit    chan struct{}
}

func newLevelsController(n int) *levelsController {
	s := &levelsController{nextID: make(chan uint64), quit: make(chan struct{})}
	s.cstatus.levels = make([][]keyRange, n)
	size := int64(1 << 20)
	for i := 0; i < n; i++ {
		s.levels = append(s.levels, &levelHandler{level: i, maxSize: size})
		size *= 10
	}
	go func() {
		for id := uint64(1); ; id++ {
			select {
			case s.nextID <- id:
			case <-s.quit:
				return
			}
		}
	}()
	for i := 0; i < 3; i++ {
		go s.runCompactor()
	}
	return s
}

func (s *levelsController) runCompactor() {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			for _, l := range s.levels[:len(s.levels)-1] {
				if l.getTotalSize() < l.maxSize {
					continue
				}
				if err := s.doCompact(l.level); err != nil && err != errFillTables {
					log.Printf("While running doCompact: %v", err)
				}
			}
		case <-s.quit:
			return
		}
	}
}

// fillTables picks a table of the level that no running compaction works on.
func (s *levelsController) fillTables(cd *compactDef) bool {
	cd.lockLevels()
	defer cd.unlockLevels()

	for _, t := range cd.thisLevel.tables {
		cd.thisRange = getKeyRange(t)
		// If we're already compacting this range, don't do anything.
		if s.cstatus.overlapsWith(cd.thisLevel.level, cd.thisRange) {
			continue
		}
		cd.top, cd.bot = []*Table{t}, nil
		for _, b := range cd.nextLevel.tables {
			if getKeyRange(b).overlapsWith(cd.thisRange) {
				cd.bot = append(cd.bot, b)
			}
		}
		cd.nextRange = cd.thisRange
		if len(cd.bot) > 0 {
			cd.nextRange = getKeyRange(append([]*Table{t}, cd.bot...)...)
		}
		if s.cstatus.overlapsWith(cd.nextLevel.level, cd.nextRange) {
			continue
		}
		if !s.cstatus.compareAndAdd(*cd) {
			continue
		}
		return true
	}
	return false
}

func (s *levelsController) doCompact(l int) error {
	cd := compactDef{thisLevel: s.levels[l], nextLevel: s.levels[l+1]}
	if !s.fillTables(&cd) {
		return errFillTables
	}
	defer s.cstatus.delete(cd) // Remove the ranges from compaction status.

	all := append(append([]*Table(nil), cd.top...), cd.bot...)
	kr := getKeyRange(all...)
	merged := &Table{smallest: kr.left, biggest: kr.right}
	for _, t := range all {
		merged.size += t.size
	}
	select {
	case merged.id = <-s.nextID:
	case <-s.quit:
		return nil
	}

	// We should update the next level before the current level, so that readers find the
	// keys in one of the two.
	cd.nextLevel.replaceTables(cd.bot, []*Table{merged})
	cd.thisLevel.replaceTables(cd.top, nil)
	return nil
}
