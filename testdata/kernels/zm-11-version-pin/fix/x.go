package fix

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
)

// files stands for the directory with the table files.
type files struct {
	mu   sync.RWMutex
	next uint64
	data map[uint64]map[string]string
}

func (f *files) write(kv map[string]string) *table {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next++
	f.data[f.next] = maps.Clone(kv)
	return &table{num: f.next}
}

func (f *files) read(num uint64) (map[string]string, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	kv, ok := f.data[num]
	if !ok {
		return nil, fmt.Errorf("table %06d: no such file", num)
	}
	return kv, nil
}

func (f *files) unlink(num uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.data, num)
}

// table is a file; every version that has it counts.
type table struct {
	num  uint64
	refs atomic.Int32
}

// version is a set of tables, newest last.
type version struct {
	tables []*table
	refs   atomic.Int32
}

func newVersion(ts []*table) *version {
	v := &version{tables: ts}
	v.refs.Store(1)
	for _, t := range ts {
		t.refs.Add(1)
	}
	return v
}

// DB is a read-mostly store of immutable tables.
type DB struct {
	fs  *files
	mu  sync.Mutex // for those who change cur
	cur atomic.Pointer[version]
}

func Open() *DB {
	db := &DB{fs: &files{data: make(map[uint64]map[string]string)}}
	db.cur.Store(newVersion(nil))
	return db
}

func (db *DB) pin() *version {
	for {
		v := db.cur.Load()
		for n := v.refs.Load(); n > 0; n = v.refs.Load() {
			if v.refs.CompareAndSwap(n, n+1) {
				return v
			}
		}
	}
}

func (db *DB) unpin(v *version) {
	if v.refs.Add(-1) > 0 {
		return
	}
	for _, t := range v.tables {
		if t.refs.Add(-1) == 0 {
			db.fs.unlink(t.num)
		}
	}
}

// Get looks from the newest table to the oldest.
func (db *DB) Get(key string) (string, bool, error) {
	v := db.pin()
	defer db.unpin(v)
	for i := len(v.tables) - 1; i >= 0; i-- {
		kv, err := db.fs.read(v.tables[i].num)
		if err != nil {
			return "", false, err
		}
		if val, ok := kv[key]; ok {
			return val, true, nil
		}
	}
	return "", false, nil
}

// install makes v current; db.mu is held.
func (db *DB) install(v *version) {
	old := db.cur.Swap(v)
	db.unpin(old)
}

// Ingest adds a table.
func (db *DB) Ingest(kv map[string]string) {
	db.mu.Lock()
	defer db.mu.Unlock()
	t := db.fs.write(kv)
	have := db.cur.Load().tables
	ts := make([]*table, 0, len(have)+1)
	ts = append(append(ts, have...), t)
	db.install(newVersion(ts))
}

// Compact makes one table out of all.
func (db *DB) Compact() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	have := db.cur.Load().tables
	if len(have) < 2 {
		return nil
	}
	all := make(map[string]string)
	for _, t := range have {
		kv, err := db.fs.read(t.num)
		if err != nil {
			return err
		}
		maps.Copy(all, kv)
	}
	db.install(newVersion([]*table{db.fs.write(all)}))
	return nil
}
