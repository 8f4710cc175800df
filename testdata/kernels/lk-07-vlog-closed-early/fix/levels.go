package badger

import (
	"log"
	"sync"
	"time"
)

// levelsController holds the tables of the LSM tree.
type levelsController struct {
	kv *DB

	mu         sync.RWMutex
	level0     []map[string]valuePointer
	level1     map[string]valuePointer
	compacting bool
}

func newLevelsController(db *DB) *levelsController {
	return &levelsController{kv: db, level1: make(map[string]valuePointer)}
}

func (s *levelsController) addLevel0Table(mt map[string]valuePointer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level0 = append(s.level0, mt)
}

func (s *levelsController) runCompactor(id int, lc *closer) {
	defer lc.Done()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		// Can add a done channel or other stuff.
		case <-ticker.C:
			if err := s.doCompact(id); err != nil && err != errFillTables {
				log.Printf("While running doCompact: %v", err)
			}
		case <-lc.closed:
			return
		}
	}
}

// doCompact merges the tables of level 0 into level 1.
func (s *levelsController) doCompact(id int) error {
	s.mu.Lock()
	if s.compacting || len(s.level0) == 0 {
		s.mu.Unlock()
		return errFillTables
	}
	s.compacting = true
	top := s.level0[:len(s.level0):len(s.level0)]
	bot := s.level1
	s.mu.Unlock()

	merged := s.compactBuildTables(top, bot)

	s.mu.Lock()
	s.level1 = merged
	s.level0 = s.level0[len(top):]
	s.compacting = false
	s.mu.Unlock()
	return nil
}

// compactBuildTables merges the tables to a new one.
func (s *levelsController) compactBuildTables(top []map[string]valuePointer, bot map[string]valuePointer) map[string]valuePointer {
	discard := make(map[uint32]int64)
	merged := make(map[string]valuePointer, len(bot))
	for k, vp := range bot {
		merged[k] = vp
	}
	for _, t := range top {
		for k, vp := range t {
			if old, ok := merged[k]; ok {
				discard[old.Fid] += int64(old.Len)
			}
			merged[k] = vp
		}
	}
	s.kv.vlog.updateDiscardStats(discard)
	return merged
}
