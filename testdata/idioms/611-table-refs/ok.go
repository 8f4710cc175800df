// Package ok reads levels of tables that are replaced by compactions.
package ok

import (
	"os"
	"sort"
	"sync"
	"sync/atomic"
)

// table is an immutable file; it is removed with its last reference.
type table struct {
	ref               atomic.Int32
	fd                *os.File
	id                uint64
	smallest, biggest string
	lookup            func(fd *os.File, key string) ([]byte, bool)
}

func (t *table) incrRef() { t.ref.Add(1) }

func (t *table) decrRef() error {
	if t.ref.Add(-1) != 0 {
		return nil
	}
	if err := t.fd.Close(); err != nil {
		return err
	}
	return os.Remove(t.fd.Name())
}

func decrRefs(tables []*table) error {
	for _, t := range tables {
		if err := t.decrRef(); err != nil {
			return err
		}
	}
	return nil
}

type levelHandler struct {
	// Guards tables, totalSize.
	sync.RWMutex

	// For level >= 1, tables are sorted by key ranges, which do not overlap.
	// For level 0, tables are sorted by time. Each has one reference of ours.
	tables    []*table
	totalSize int64

	// The following are initialized once and const.
	level int
}

// addTable is given the reference of the caller.
func (s *levelHandler) addTable(t *table, size int64) {
	s.Lock()
	defer s.Unlock()
	s.totalSize += size
	s.tables = append(s.tables, t)
}

// replaceTables takes its own references of the new tables and drops those of the old ones.
func (s *levelHandler) replaceTables(toDel, toAdd []*table) error {
	// Need to re-search the range of tables in this level to be replaced as other goroutines might
	// be changing it as well.  (They can't touch our tables, but if they add/remove other tables,
	// the indices get shifted around.)
	s.Lock() // We s.Unlock() below.

	toDelMap := make(map[uint64]struct{})
	for _, t := range toDel {
		toDelMap[t.id] = struct{}{}
	}
	var newTables []*table
	for _, t := range s.tables {
		if _, found := toDelMap[t.id]; !found {
			newTables = append(newTables, t)
		}
	}
	for _, t := range toAdd {
		t.incrRef()
		newTables = append(newTables, t)
	}

	// Assign tables.
	s.tables = newTables
	if s.level > 0 {
		sort.Slice(s.tables, func(i, j int) bool {
			return s.tables[i].smallest < s.tables[j].smallest
		})
	}
	s.Unlock() // s.Unlock before we decrRef tables -- that can be slow.
	return decrRefs(toDel)
}

// getTableForKey acquires a read-lock to access s.tables. It returns a list of tables.
func (s *levelHandler) getTableForKey(key string) ([]*table, func() error) {
	s.RLock()
	defer s.RUnlock()

	if s.level == 0 {
		// For level 0, we need to check every table. Remember to make a copy as s.tables may change
		// once we exit this function, and we don't want to lock s.tables while seeking in tables.
		// CAUTION: Reverse the tables.
		out := make([]*table, 0, len(s.tables))
		for i := len(s.tables) - 1; i >= 0; i-- {
			out = append(out, s.tables[i])
			s.tables[i].incrRef()
		}
		return out, func() error { return decrRefs(out) }
	}
	// For level >= 1, we can do a binary search as key range does not overlap.
	idx := sort.Search(len(s.tables), func(i int) bool {
		return s.tables[i].biggest >= key
	})
	if idx >= len(s.tables) {
		// Given key is strictly > than every element we have.
		return nil, func() error { return nil }
	}
	tbl := s.tables[idx]
	tbl.incrRef()
	return []*table{tbl}, tbl.decrRef
}

// get returns value for a given key or the key after that. If not found, return nil.
func (s *levelHandler) get(key string) ([]byte, error) {
	tables, decr := s.getTableForKey(key)
	for _, th := range tables {
		if v, ok := th.lookup(th.fd, key); ok {
			return v, decr()
		}
	}
	return nil, decr()
}

// Levels is a tree of two levels.
type Levels struct {
	levels    [2]*levelHandler
	compactMu sync.Mutex // one compaction at a time
	merge     func(tables []*table) (*table, error)
}

// NewLevels returns an empty tree. The tables given to merge are in the order
// of their age.
func NewLevels(merge func(tables []*table) (*table, error)) *Levels {
	return &Levels{
		levels: [2]*levelHandler{{level: 0}, {level: 1}},
		merge:  merge,
	}
}

// Get looks in the newest level first.
func (l *Levels) Get(key string) ([]byte, error) {
	for _, h := range l.levels {
		if v, err := h.get(key); v != nil || err != nil {
			return v, err
		}
	}
	return nil, nil
}

// Flush adds a new table.
func (l *Levels) Flush(t *table, size int64) {
	t.ref.Store(1)
	l.levels[0].addTable(t, size)
}

// Compact moves the tables of level 0, as they are now, to level 1.
func (l *Levels) Compact() error {
	l.compactMu.Lock()
	defer l.compactMu.Unlock()

	l.levels[0].RLock()
	top := append([]*table(nil), l.levels[0].tables...)
	l.levels[0].RUnlock()
	l.levels[1].RLock()
	bot := append([]*table(nil), l.levels[1].tables...)
	l.levels[1].RUnlock()
	if len(top) == 0 {
		return nil
	}

	t, err := l.merge(append(append([]*table(nil), bot...), top...))
	if err != nil {
		return err
	}
	t.ref.Store(1)
	// Add to the lower level first, so that readers find the keys.
	if err := l.levels[1].replaceTables(bot, []*table{t}); err != nil {
		return err
	}
	if err := l.levels[0].replaceTables(top, nil); err != nil {
		return err
	}
	return t.decrRef()
}
