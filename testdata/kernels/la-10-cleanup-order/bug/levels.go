package badger

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

type table struct {
	id     uint64
	blocks map[int][]byte
}

type levelsController struct {
	nextFileID atomic.Uint64
	kv         *DB

	mu     sync.RWMutex
	tables []*table
}

func newLevelsController(db *DB) *levelsController {
	return &levelsController{kv: db}
}

func (s *levelsController) startCompact(lc *Closer) {
	n := s.kv.opt.NumCompactors
	for i := 0; i < n; i++ {
		go s.runCompactor(i, lc)
	}
}

func (s *levelsController) runCompactor(id int, lc *Closer) {
	defer lc.Done()

	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()

	for {
		select {
		case <-ticker.C:
			s.doCompact()
		case <-lc.HasBeenClosed():
			return
		}
	}
}

func (s *levelsController) addLevel0Table(mt *memTable) {
	t := &table{id: s.nextFileID.Add(1), blocks: make(map[int][]byte)}
	for k, v := range mt.keys {
		t.blocks[len(t.blocks)] = append([]byte(k), v...)
	}
	s.mu.Lock()
	s.tables = append(s.tables, t)
	s.mu.Unlock()
}

// doCompact reads all the blocks of the tables of the level.
func (s *levelsController) doCompact() {
	s.mu.RLock()
	tables := s.tables
	s.mu.RUnlock()

	for _, t := range tables {
		for i := range t.blocks {
			s.block(t, i)
		}
	}
}

// block returns the block of the table, from the cache if it is there.
func (s *levelsController) block(t *table, idx int) []byte {
	key := fmt.Sprintf("%d-%d", t.id, idx)
	if blk, ok := s.kv.blockCache.Get(key); ok {
		return blk
	}
	blk := t.blocks[idx]
	s.kv.blockCache.Set(key, blk)
	return blk
}
