// Package fix keeps the sealed part of a metric index.
package fix

import (
	"encoding/binary"
	"sort"
	"sync"
	"sync/atomic"
)

const msecPerDay = 24 * 3600 * 1000

// Span is a closed range of timestamps in milliseconds.
type Span struct {
	From int64
	To   int64
}

// rowTable keeps rows of day numbers by tenant prefix, sorted.
type rowTable struct {
	mu   sync.RWMutex
	rows map[string][]uint64

	seeks atomic.Uint64
}

func (rt *rowTable) add(prefix []byte, day uint64) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	a := rt.rows[string(prefix)]
	n := sort.Search(len(a), func(i int) bool { return a[i] >= day })
	if n < len(a) && a[n] == day {
		return
	}
	a = append(a, 0)
	copy(a[n+1:], a[n:])
	a[n] = day
	rt.rows[string(prefix)] = a
}

// seek returns the first row at or after the given day.
func (rt *rowTable) seek(prefix []byte, day uint64) (uint64, bool) {
	rt.seeks.Add(1)
	rt.mu.RLock()
	defer rt.mu.RUnlock()
	a := rt.rows[string(prefix)]
	n := sort.Search(len(a), func(i int) bool { return a[i] >= day })
	if n == len(a) {
		return 0, false
	}
	return a[n], true
}

type segmentIndex struct {
	name   string
	table  *rowTable
	sealed atomic.Bool

	skipped atomic.Uint64

	// firstGap maps a tenant prefix to the smallest timestamp known to have
	// nothing at or after it. It is used in sealed indexes only, since an
	// open one may receive bigger timestamps at any time.
	firstGap map[string]int64
	// protects firstGap
	firstGapLock sync.Mutex
}

func newSegmentIndex(name string) *segmentIndex {
	return &segmentIndex{
		name:     name,
		table:    &rowTable{rows: make(map[string][]uint64)},
		firstGap: make(map[string]int64),
	}
}

// Register adds a row for the day of the given timestamp.
func (si *segmentIndex) Register(tenant uint32, ts int64) bool {
	if si.sealed.Load() {
		return false
	}
	si.table.add(tenantPrefix(nil, tenant), uint64(ts/msecPerDay))
	return true
}

// Seal makes the index read-only.
func (si *segmentIndex) Seal() {
	si.sealed.Store(true)
}

// lookup is one search; it is not shared between goroutines.
type lookup struct {
	si  *segmentIndex
	buf []byte
}

func (si *segmentIndex) mayHold(lk *lookup, sp Span) bool {
	if !si.sealed.Load() {
		return true
	}

	lk.buf = tenantPrefix(lk.buf[:0], 0)
	return si.mayHoldPrefix(lk.buf, sp)
}

// mayHoldPrefix reports whether the index may have rows in the given span.
func (si *segmentIndex) mayHoldPrefix(key []byte, sp Span) bool {
	si.firstGapLock.Lock()
	gap, ok := si.firstGap[string(key)]
	si.firstGapLock.Unlock()

	if ok && sp.From >= gap {
		si.skipped.Add(1)
		return false
	}
	if si.mayHoldSlow(key, sp) {
		return true
	}

	si.firstGapLock.Lock()
	gap, ok = si.firstGap[string(key)]
	if !ok || sp.From < gap {
		si.firstGap[string(key)] = sp.From
	}
	si.firstGapLock.Unlock()

	return false
}

func (si *segmentIndex) mayHoldSlow(key []byte, sp Span) bool {
	day := uint64(sp.From / msecPerDay)
	_, ok := si.table.seek(key, day)
	return ok
}

func tenantPrefix(dst []byte, tenant uint32) []byte {
	dst = append(dst, 'd')
	return binary.BigEndian.AppendUint32(dst, tenant)
}

// Catalog is a sealed index and an open one.
type Catalog struct {
	prev *segmentIndex
	curr *segmentIndex
}

// NewCatalog returns a catalog whose previous index is sealed.
func NewCatalog() *Catalog {
	c := &Catalog{prev: newSegmentIndex("prev"), curr: newSegmentIndex("curr")}
	c.prev.Seal()
	return c
}

// Indexes returns how many indexes have to be searched for the given span. It
// may be called by many queries at once.
func (c *Catalog) Indexes(sp Span) int {
	n := 0
	for _, si := range []*segmentIndex{c.prev, c.curr} {
		lk := &lookup{si: si}
		if si.mayHold(lk, sp) {
			n++
		}
	}
	return n
}

// Seeks returns the number of slow searches.
func (c *Catalog) Seeks() uint64 {
	return c.prev.table.seeks.Load() + c.curr.table.seeks.Load()
}
