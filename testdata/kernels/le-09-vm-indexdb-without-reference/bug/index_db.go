package storage

import (
	"log"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// table is the sorted set of index items.
type table struct {
	path string

	mu     sync.RWMutex
	items  map[string]struct{}
	closed bool
}

func mustOpenTable(path string) *table {
	return &table{path: path, items: make(map[string]struct{})}
}

// AddItems adds the given items to tb.
func (tb *table) AddItems(items []string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	if tb.closed {
		log.Panicf("BUG: table %q is used after it was closed", tb.path)
	}
	for _, item := range items {
		tb.items[item] = struct{}{}
	}
}

// Search calls f for all the items with the given prefix.
func (tb *table) Search(prefix string, f func(item string)) {
	tb.mu.RLock()
	defer tb.mu.RUnlock()
	if tb.closed {
		log.Panicf("BUG: table %q is used after it was closed", tb.path)
	}
	for item := range tb.items {
		if strings.HasPrefix(item, prefix) {
			f(item[len(prefix):])
		}
	}
}

// MustClose closes the table.
func (tb *table) MustClose() {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.closed = true
	tb.items = nil
}

// indexDB represents an index db.
type indexDB struct {
	refCount atomic.Int64

	// if the mustDrop is set to true, then the indexDB must be dropped after refCount reaches zero.
	mustDrop atomic.Bool

	// generation identifies the index generation ID
	// and is used for syncing items from different indexDBs
	generation uint64

	name string
	tb   *table

	extDB     *indexDB
	extDBLock sync.Mutex
}

func mustOpenIndexDB(name string, generation uint64) *indexDB {
	db := &indexDB{
		name:       name,
		generation: generation,
		tb:         mustOpenTable(name),
	}
	db.incRef()
	return db
}

func (db *indexDB) scheduleToDrop() {
	db.mustDrop.Store(true)
}

// doExtDB calls f with the external indexDB, if there is one.
func (db *indexDB) doExtDB(f func(extDB *indexDB)) {
	db.extDBLock.Lock()
	extDB := db.extDB
	if extDB != nil {
		extDB.incRef()
	}
	db.extDBLock.Unlock()
	if extDB != nil {
		f(extDB)
		extDB.decRef()
	}
}

// SetExtDB sets external db to search.
//
// It decrements refCount for the previous extDB.
func (db *indexDB) SetExtDB(extDB *indexDB) {
	db.extDBLock.Lock()
	prevExtDB := db.extDB
	db.extDB = extDB
	db.extDBLock.Unlock()

	if prevExtDB != nil {
		prevExtDB.decRef()
	}
}

// MustClose closes db.
func (db *indexDB) MustClose() {
	db.decRef()
}

func (db *indexDB) incRef() {
	db.refCount.Add(1)
}

func (db *indexDB) decRef() {
	n := db.refCount.Add(-1)
	if n < 0 {
		log.Panicf("BUG: negative refCount: %d", n)
	}
	if n > 0 {
		return
	}

	db.tb.MustClose()
	db.SetExtDB(nil)

	if !db.mustDrop.Load() {
		return
	}
	log.Printf("indexDB %q has been dropped", db.name)
}

func (db *indexDB) createIndexes(metricNames []string) {
	items := make([]string, 0, len(metricNames))
	for _, mn := range metricNames {
		items = append(items, "name:"+mn)
	}
	db.tb.AddItems(items)
}

// SearchMetricNames returns the metric names with the given prefix in db and
// its extDB.
func (db *indexDB) SearchMetricNames(prefix string) []string {
	m := make(map[string]struct{})
	f := func(mn string) { m[prefix+mn] = struct{}{} }
	db.tb.Search("name:"+prefix, f)
	db.doExtDB(func(extDB *indexDB) {
		extDB.tb.Search("name:"+prefix, f)
	})
	names := make([]string, 0, len(m))
	for mn := range m {
		names = append(names, mn)
	}
	sort.Strings(names)
	return names
}

// GetSeriesCount returns the approximate number of unique timeseries in the db.
//
// It includes the deleted series too and may count the same series
// up to two times - in db and extDB.
func (db *indexDB) GetSeriesCount() uint64 {
	var n uint64
	count := func(string) { n++ }
	db.tb.Search("name:", count)
	db.doExtDB(func(extDB *indexDB) {
		extDB.tb.Search("name:", count)
	})
	return n
}
