package badger

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"sort"
	"sync"
	"sync/atomic"
)

type keyRange struct {
	left  []byte
	right []byte
}

type compactDef struct {
	thisLevel *levelHandler
	nextLevel *levelHandler
	top       []*Table
	bot       []*Table
	splits    []keyRange
	fileSz    int
}

type levelHandler struct {
	sync.RWMutex
	level  int
	tables []*Table
}

// replaceTables will replace tables[left:right] with newTables.
func (s *levelHandler) replaceTables(toDel, toAdd []*Table) {
	s.Lock()
	defer s.Unlock()
	del := make(map[uint64]struct{})
	for _, t := range toDel {
		del[t.id] = struct{}{}
	}
	var newTables []*Table
	for _, t := range s.tables {
		if _, found := del[t.id]; !found {
			newTables = append(newTables, t)
		}
	}
	s.tables = append(newTables, toAdd...)
	sort.Slice(s.tables, func(i, j int) bool {
		return bytes.Compare(s.tables[i].smallest(), s.tables[j].smallest()) < 0
	})
}

type levelsController struct {
	nextFileID atomic.Uint64
	levels     []*levelHandler
	pool       *AllocatorPool
}

func newLevelsController(max int) *levelsController {
	s := &levelsController{pool: NewAllocatorPool(8)}
	for i := 0; i < max; i++ {
		s.levels = append(s.levels, &levelHandler{level: i})
	}
	return s
}

func (s *levelsController) reserveFileID() uint64 {
	return s.nextFileID.Add(1)
}

// subcompact runs a single sub-compaction, iterating over the specified key-range only.
func (s *levelsController) subcompact(it *mergeIterator, kr keyRange, cd compactDef,
	inflightBuilders *Throttle, res chan<- *Table) error {

	addKeys := func(builder *Builder) {
		var numKeys uint64
		for ; it.Valid(); it.Next() {
			if len(kr.right) > 0 && bytes.Compare(it.Key(), kr.right) >= 0 {
				break
			}
			if builder.ReachedCapacity() {
				break
			}
			numKeys++
			builder.Add(it.Key(), it.Value())
		}
		log.Printf("LOG Compact. Added %d keys", numKeys)
	}

	it.Seek(kr.left)
	for it.Valid() {
		if len(kr.right) > 0 && bytes.Compare(it.Key(), kr.right) >= 0 {
			break
		}

		builder := NewTableBuilder(s.pool, cd.fileSz)

		// This would do the iteration and add keys to builder.
		addKeys(builder)

		// It was true that it.Valid() at least once in the loop above, which means we
		// called Add() at least once, and builder is not Empty().
		if builder.Empty() {
			// Cleanup builder resources:
			builder.Close()
			continue
		}
		fileID := s.reserveFileID()
		if err := inflightBuilders.Do(); err != nil {
			builder.Close()
			return err
		}
		go func(builder *Builder) {
			var err error
			defer builder.Close()
			defer func() { inflightBuilders.Done(err) }()

			var tbl *Table
			tbl, err = OpenInMemoryTable(builder.Finish(), fileID)
			// If we couldn't build the table, return fast.
			if err != nil {
				return
			}
			res <- tbl
		}(builder)
	}
	return nil
}

// compactBuildTables merges topTables and botTables to form a list of new tables.
func (s *levelsController) compactBuildTables(cd compactDef) ([]*Table, error) {
	res := make(chan *Table, 3)
	inflightBuilders := NewThrottle(8 + len(cd.splits))
	var doErr error
	for _, kr := range cd.splits {
		// Initiate Do here so we can register the goroutines for buildTables too.
		if err := inflightBuilders.Do(); err != nil {
			log.Printf("cannot start subcompaction: %+v", err)
			doErr = err
			break
		}
		go func(kr keyRange) {
			it := newMergeIterator(cd.top, cd.bot)
			inflightBuilders.Done(s.subcompact(it, kr, cd, inflightBuilders, res))
		}(kr)
	}

	var newTables []*Table
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for t := range res {
			newTables = append(newTables, t)
		}
	}()

	// Wait for all table builders to finish and also for newTables accumulator to finish.
	err := inflightBuilders.Finish()
	close(res)
	wg.Wait() // Wait for all tables to be picked up.
	if err == nil {
		err = doErr
	}

	if err != nil {
		return nil, fmt.Errorf("while running compactions: %w", err)
	}
	return newTables, nil
}

// runCompactDef is called by the compactors.
func (s *levelsController) runCompactDef(cd compactDef) error {
	newTables, err := s.compactBuildTables(cd)
	if err != nil {
		return err
	}
	cd.nextLevel.replaceTables(cd.bot, newTables)
	cd.thisLevel.replaceTables(cd.top, nil)
	return nil
}

// doCompact compacts the whole of level l into the next one.
func (s *levelsController) doCompact(l int) error {
	cd := compactDef{
		thisLevel: s.levels[l],
		nextLevel: s.levels[l+1],
		splits:    []keyRange{{right: []byte{0x80}}, {left: []byte{0x80}}},
		fileSz:    2 << 20,
	}
	cd.thisLevel.RLock()
	cd.top = append(cd.top, cd.thisLevel.tables...)
	cd.thisLevel.RUnlock()
	cd.nextLevel.RLock()
	cd.bot = append(cd.bot, cd.nextLevel.tables...)
	cd.nextLevel.RUnlock()
	return s.runCompactDef(cd)
}

var errNoTables = errors.New("no tables")

// close is called when the only compactor has come to its end.
func (s *levelsController) close() {
	s.pool.Release()
}

// runCompactor is started by Open, it is the only one that compacts.
func (s *levelsController) runCompactor(todo <-chan int) {
	defer s.close()
	for l := range todo {
		if err := s.doCompact(l); err != nil {
			log.Printf("while running doCompact: %v", err)
		}
	}
}
