package lr05

import (
	"sort"
	"sync"
	"time"
)

type keyRange struct{ left, right string }

func (r keyRange) overlapsWith(o keyRange) bool {
	return r.left <= o.right && o.left <= r.right
}

type table struct {
	kr   keyRange
	size int64
}

type levelHandler struct {
	sync.RWMutex
	level        int
	tables       []*table
	totalSize    int64
	maxTotalSize int64
}

func (l *levelHandler) getTotalSize() int64 {
	l.RLock()
	defer l.RUnlock()
	return l.totalSize
}

func (l *levelHandler) move(t *table, d int64) {
	l.Lock()
	defer l.Unlock()
	l.totalSize += d * t.size
	if d > 0 {
		l.tables = append(l.tables, t)
		return
	}
	for i, x := range l.tables {
		if x == t {
			l.tables = append(l.tables[:i], l.tables[i+1:]...)
			return
		}
	}
}

type levelCompactStatus struct {
	ranges  []keyRange
	delSize int64
}

func (s *levelCompactStatus) overlapsWith(kr keyRange) bool {
	for _, r := range s.ranges {
		if r.overlapsWith(kr) {
			return true
		}
	}
	return false
}

type compactDef struct {
	thisLevel, nextLevel *levelHandler
	top                  *table
	thisRange            keyRange
	thisSize             int64
}

type compactStatus struct {
	sync.RWMutex
	levels []*levelCompactStatus
}

func (cs *compactStatus) delSize(l int) int64 {
	cs.RLock()
	defer cs.RUnlock()
	return cs.levels[l].delSize
}

func (cs *compactStatus) compareAndAdd(cd *compactDef) bool {
	cs.Lock()
	defer cs.Unlock()
	this := cs.levels[cd.thisLevel.level]
	next := cs.levels[cd.nextLevel.level]
	if this.overlapsWith(cd.thisRange) {
		return false
	}
	if next.overlapsWith(cd.thisRange) {
		return false
	}
	// Does this level still need a compaction? The caller holds the level's lock.
	if cd.thisLevel.totalSize-this.delSize < cd.thisLevel.maxTotalSize {
		return false
	}
	this.ranges = append(this.ranges, cd.thisRange)
	next.ranges = append(next.ranges, cd.thisRange)
	this.delSize += cd.thisSize
	return true
}

func remove(rs []keyRange, kr keyRange) []keyRange {
	for i, r := range rs {
		if r == kr {
			return append(rs[:i], rs[i+1:]...)
		}
	}
	return rs
}

func (cs *compactStatus) delete(cd *compactDef) {
	cs.Lock()
	defer cs.Unlock()
	this := cs.levels[cd.thisLevel.level]
	next := cs.levels[cd.nextLevel.level]
	this.delSize -= cd.thisSize
	this.ranges = remove(this.ranges, cd.thisRange)
	next.ranges = remove(next.ranges, cd.thisRange)
}

type levelsController struct {
	levels  []*levelHandler
	cstatus compactStatus
}

// StartCompact starts n compaction workers.
func (s *levelsController) StartCompact(n int) {
	for i := 0; i < n; i++ {
		go s.runWorker()
	}
}

func (s *levelsController) runWorker() {
	for range time.Tick(100 * time.Microsecond) {
		for _, l := range s.pickCompactLevels() {
			if s.doCompact(l) {
				break
			}
		}
	}
}

func (s *levelsController) pickCompactLevels() (prios []int) {
	for i, l := range s.levels[:len(s.levels)-1] {
		if l.getTotalSize()-s.cstatus.delSize(i) >= l.maxTotalSize {
			prios = append(prios, i)
		}
	}
	return prios
}

func (s *levelsController) fillTables(cd *compactDef) bool {
	cd.thisLevel.RLock()
	defer cd.thisLevel.RUnlock()
	tbls := append([]*table(nil), cd.thisLevel.tables...)
	sort.Slice(tbls, func(i, j int) bool { return tbls[i].size > tbls[j].size })
	for _, t := range tbls {
		cd.top, cd.thisSize, cd.thisRange = t, t.size, t.kr
		if s.cstatus.compareAndAdd(cd) {
			return true
		}
	}
	return false
}

func (s *levelsController) doCompact(l int) bool {
	cd := &compactDef{thisLevel: s.levels[l], nextLevel: s.levels[l+1]}
	if !s.fillTables(cd) {
		return false
	}
	defer s.cstatus.delete(cd)
	cd.nextLevel.move(cd.top, 1)
	cd.thisLevel.move(cd.top, -1)
	return true
}
