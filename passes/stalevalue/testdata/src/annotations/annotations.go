// Package annotations has locks that comments name, beside the same code without them.
package annotations

import "sync"

// Table has an inner lock of its own for each access; what belongs together is done under
// mu.
type Table struct {
	mu   sync.Mutex
	in   sync.Mutex
	rows int // guarded by mu
	cols int
	// +checklocks:mu
	cells int
	// wide need not be guarded by mu.
	wide int
}

func (t *Table) getRows() int  { t.in.Lock(); defer t.in.Unlock(); return t.rows }
func (t *Table) setRows(n int) { t.in.Lock(); defer t.in.Unlock(); t.rows = n }

func (t *Table) getCols() int  { t.in.Lock(); defer t.in.Unlock(); return t.cols }
func (t *Table) setCols(n int) { t.in.Lock(); defer t.in.Unlock(); t.cols = n }

func (t *Table) getCells() int  { t.in.Lock(); defer t.in.Unlock(); return t.cells }
func (t *Table) setCells(n int) { t.in.Lock(); defer t.in.Unlock(); t.cells = n }

func (t *Table) getWide() int  { t.in.Lock(); defer t.in.Unlock(); return t.wide }
func (t *Table) setWide(n int) { t.in.Lock(); defer t.in.Unlock(); t.wide = n }

// Clear leaves it to its callers to hold mu.
func (t *Table) Clear() {
	t.setRows(0)
	t.setCols(0)
	t.setCells(0)
	t.setWide(0)
}

func (t *Table) GrowRows() {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.getRows()
	t.setRows(n + 1)
}

func (t *Table) GrowCols() {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.getCols()
	t.setCols(n + 1) // want `lost-update: t\.cols was read at line \d+, .*`
}

func (t *Table) GrowCells() {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.getCells()
	t.setCells(n + 1)
}

func (t *Table) GrowWide() {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.getWide()
	t.setWide(n + 1) // want `lost-update: t\.wide was read at line \d+, .*`
}

// Index has annotations on its methods.
type Index struct {
	mu sync.Mutex
	in sync.Mutex
	n  int
}

func (x *Index) get() int  { x.in.Lock(); defer x.in.Unlock(); return x.n }
func (x *Index) set(n int) { x.in.Lock(); defer x.in.Unlock(); x.n = n }

// Add adds one.
//
// +checklocks:x.mu
func (x *Index) Add() {
	n := x.get()
	x.set(n + 1)
}

// +checklocks:x.mu
func (x *Index) Reset() { x.set(0) }

// Plain is the same without them.
type Plain struct {
	mu sync.Mutex
	in sync.Mutex
	n  int
}

func (x *Plain) get() int  { x.in.Lock(); defer x.in.Unlock(); return x.n }
func (x *Plain) set(n int) { x.in.Lock(); defer x.in.Unlock(); x.n = n }

func (x *Plain) Add() {
	n := x.get()
	x.set(n + 1) // want `lost-update: x\.n was read at line \d+, .*`
}

func (x *Plain) Reset() { x.set(0) }
