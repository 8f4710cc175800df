// Package bug stores rows in files, with a buffer of recent rows in memory.
package bug

import (
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

type rowItem struct {
	ts  int64
	key string
	val float64
}

// file is immutable once it is in a shelf.
type file struct {
	name string
	rows []rowItem
}

// writeFile stands for sorting, packing and syncing.
func writeFile(name string, rows []rowItem) *file {
	sort.Slice(rows, func(i, j int) bool { return rows[i].ts < rows[j].ts })
	return &file{name: name, rows: rows}
}

// shelf is the data of one period.
type shelf struct {
	name    string
	fileSeq atomic.Uint64

	bufMu sync.Mutex
	buf   []rowItem

	filesMu sync.Mutex
	files   []*file
}

func (s *shelf) add(rows []rowItem) {
	s.bufMu.Lock()
	s.buf = append(s.buf, rows...)
	full := len(s.buf) > 8192
	s.bufMu.Unlock()
	if full {
		s.flush()
	}
}

// flush turns the rows in memory into a file.
func (s *shelf) flush() {
	s.bufMu.Lock()
	rows := s.buf
	s.buf = nil
	s.bufMu.Unlock()
	if len(rows) == 0 {
		return
	}
	f := writeFile(fmt.Sprintf("%s-%08X", s.name, s.fileSeq.Add(1)), rows)
	s.filesMu.Lock()
	s.files = append(s.files, f)
	s.filesMu.Unlock()
}

func (s *shelf) copyTo(dst map[string]*file) {
	s.filesMu.Lock()
	defer s.filesMu.Unlock()
	for _, f := range s.files {
		dst[f.name] = f
	}
}

func (s *shelf) size() int {
	s.filesMu.Lock()
	defer s.filesMu.Unlock()
	n := 0
	for _, f := range s.files {
		n += len(f.rows)
	}
	return n
}

// Depot is the storage.
type Depot struct {
	mu      sync.RWMutex
	shelves map[string]*shelf

	snapSeq   atomic.Uint64
	snapsMu   sync.Mutex
	snapshots map[string]map[string]*file
}

// OpenDepot returns an empty storage.
func OpenDepot() *Depot {
	return &Depot{
		shelves:   make(map[string]*shelf),
		snapshots: make(map[string]map[string]*file),
	}
}

func (d *Depot) shelfFor(ts int64) *shelf {
	name := time.Unix(ts, 0).UTC().Format("2006_01")
	d.mu.RLock()
	s := d.shelves[name]
	d.mu.RUnlock()
	if s != nil {
		return s
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s = d.shelves[name]; s == nil {
		s = &shelf{name: name}
		d.shelves[name] = s
	}
	return s
}

// AddRow stores a row.
func (d *Depot) AddRow(ts int64, key string, val float64) {
	d.shelfFor(ts).add([]rowItem{{ts, key, val}})
}

func (d *Depot) all() []*shelf {
	d.mu.RLock()
	defer d.mu.RUnlock()
	out := make([]*shelf, 0, len(d.shelves))
	for _, s := range d.shelves {
		out = append(out, s)
	}
	return out
}

func (d *Depot) flushAll() {
	for _, s := range d.all() {
		s.flush()
	}
}

// Snapshot makes a copy of all rows added before the call and returns its name.
func (d *Depot) Snapshot() string {
	name := fmt.Sprintf("%s-%08X", time.Now().UTC().Format("20060102150405"), d.snapSeq.Add(1))
	d.flushAll()
	dst := make(map[string]*file)
	for _, s := range d.all() {
		s.copyTo(dst)
	}
	d.snapsMu.Lock()
	d.snapshots[name] = dst
	d.snapsMu.Unlock()
	return name
}

// Snapshots lists the snapshots.
func (d *Depot) Snapshots() []string {
	d.snapsMu.Lock()
	defer d.snapsMu.Unlock()
	var out []string
	for n := range d.snapshots {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// DeleteSnapshot removes a snapshot.
func (d *Depot) DeleteSnapshot(name string) {
	d.snapsMu.Lock()
	delete(d.snapshots, name)
	d.snapsMu.Unlock()
}
