// Package fdb is the forwarding table of a virtual bridge.
package fdb

import (
	"maps"
	"sync/atomic"
)

// MAC is a hardware address.
type MAC [6]byte

// Port numbers a port of the bridge.
type Port uint16

// Entry says where a station is.
type Entry struct {
	Port   Port
	Static bool
}

// table is never changed once it has been published.
type table map[MAC]Entry

// FDB is read for every frame and written when stations appear or move.
type FDB struct {
	limit int
	cur   atomic.Pointer[table]
	moves atomic.Uint64
}

// New returns a table for at most limit stations.
func New(limit int) *FDB {
	f := &FDB{limit: limit}
	f.cur.Store(&table{})
	return f
}

// Lookup returns the port of a station.
func (f *FDB) Lookup(m MAC) (Port, bool) {
	e, ok := (*f.cur.Load())[m]
	return e.Port, ok
}

// Learn notes the port on which a frame of the station came in. It reports
// whether the station is in the table with that port.
func (f *FDB) Learn(m MAC, p Port) bool {
	for {
		old := f.cur.Load()
		e, known := (*old)[m]
		switch {
		case known && e.Port == p:
			return true
		case known && e.Static:
			return false
		case !known && len(*old) >= f.limit:
			return false
		}
		next := maps.Clone(*old)
		next[m] = Entry{Port: p}
		if f.cur.CompareAndSwap(old, &next) {
			if known {
				f.moves.Add(1)
			}
			return true
		}
	}
}

// Pin sets a static entry; it counts against the limit like the others.
func (f *FDB) Pin(m MAC, p Port) bool {
	for {
		old := f.cur.Load()
		if _, known := (*old)[m]; !known && len(*old) >= f.limit {
			return false
		}
		next := maps.Clone(*old)
		next[m] = Entry{Port: p, Static: true}
		if f.cur.CompareAndSwap(old, &next) {
			return true
		}
	}
}

// FlushPort removes the learned stations of a port that has gone down and
// returns how many there were.
func (f *FDB) FlushPort(p Port) int {
	for {
		old := f.cur.Load()
		next := make(table, len(*old))
		for m, e := range *old {
			if e.Port != p || e.Static {
				next[m] = e
			}
		}
		n := len(*old) - len(next)
		if n == 0 || f.cur.CompareAndSwap(old, &next) {
			return n
		}
	}
}

// Len returns the number of stations.
func (f *FDB) Len() int { return len(*f.cur.Load()) }

// Moves returns how often a station has changed its port.
func (f *FDB) Moves() uint64 { return f.moves.Load() }
