package a

import (
	"sync"
	"sync/atomic"
)

type part struct {
	path string
	rows []uint64
}

func (p *part) mustClose(remove func(string)) {
	p.rows = nil
	if remove != nil {
		remove(p.path)
	}
}

// partWrapper is a reference-counted part.
type partWrapper struct {
	refCount atomic.Int32
	mustDrop atomic.Bool
	p        *part
	remove   func(string)
}

func (pw *partWrapper) incRef() { pw.refCount.Add(1) }

func (pw *partWrapper) decRef() {
	n := pw.refCount.Add(-1)
	if n < 0 {
		panic("BUG: pw.refCount must be bigger than 0")
	}
	if n > 0 {
		return
	}
	if pw.mustDrop.Load() {
		pw.p.mustClose(pw.remove)
	} else {
		pw.p.mustClose(nil)
	}
}

// Table holds the parts that are visible to searches; the list owns one
// reference of each.
type Table struct {
	partsLock sync.Mutex
	parts     []*partWrapper
	remove    func(string)
}

func NewTable(remove func(string)) *Table { return &Table{remove: remove} }

// AddPart makes rows visible.
func (tb *Table) AddPart(path string, rows []uint64) {
	pw := &partWrapper{p: &part{path: path, rows: rows}, remove: tb.remove}
	pw.incRef()
	tb.partsLock.Lock()
	tb.parts = append(tb.parts, pw)
	tb.partsLock.Unlock()
}

func (tb *Table) getParts() []*partWrapper {
	tb.partsLock.Lock()
	defer tb.partsLock.Unlock()
	for _, pw := range tb.parts {
		pw.incRef()
	}
	return append([]*partWrapper(nil), tb.parts...)
}

// Sum adds up all rows.
func (tb *Table) Sum() uint64 {
	var n uint64
	for _, pw := range tb.getParts() {
		for _, r := range pw.p.rows {
			n += r
		}
		pw.decRef()
	}
	return n
}

// DropAll removes all parts; their files go away with the last search.
func (tb *Table) DropAll() {
	tb.partsLock.Lock()
	parts := tb.parts
	tb.parts = nil
	tb.partsLock.Unlock()
	for _, pw := range parts {
		pw.mustDrop.Store(true)
		pw.decRef()
	}
}
