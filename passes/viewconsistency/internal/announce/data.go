package announce

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// Data is what a signal can announce: what is written under a lock or atomically, and the count
// of a sync.WaitGroup. A write that is neither is a data race if the signal does not order it.

// Written returns the writes of data by f. To close a channel is a signal, and no data.
func (p *Finder) Written(f *process.Func) []*funcsum.Event {
	var out []*funcsum.Event
	for _, e := range f.Events {
		if e.Writes() && len(e.Holds)+len(f.Entry) > 0 && e.Base != accesspath.Unknown && !funcsum.IsSignalFlag(e.Loc) {
			out = append(out, e)
		}
	}
	for _, s := range p.operations(f, 0) {
		if s.Kind == counts {
			out = append(out, s.At)
		}
	}
	return out
}

// A Pair is a reception, and a read of data in the same function.
type Pair struct {
	*Receiver
	Read *funcsum.Event
	// Way leads to the signal and to the data from the object that both are reached from.
	Way [2]accesspath.Path
}

// Pairs returns the receptions of signals that one location carries, each with the reads of data at
// another one to which the function may come because of a signal.
func (p *Finder) Pairs(signal, data accesspath.Location) []Pair {
	index, ok := p.pairs[signal]
	if !ok {
		index = make(map[accesspath.Location][]Pair)
		for _, to := range p.receiversOf(signal) {
			for _, e := range p.reads(to.Fn) {
				if !to.mayDecide(to.Fn, e) {
					continue
				}
				signal, data := accesspath.Apart(to.At.Base, e.Base)
				index[e.Loc] = append(index[e.Loc], Pair{to, e, [2]accesspath.Path{signal, data}})
			}
		}
		p.pairs[signal] = index
	}
	return index[data]
}

// reads returns the reads of data by f: its accesses, and the operations on a group that rely on its
// count. A Wait returns too early if the count does not come first, and a Done panics.
func (p *Finder) reads(f *process.Func) []*funcsum.Event {
	if known, ok := p.readsOf[f]; ok {
		return known
	}
	var out []*funcsum.Event
	for _, e := range f.Events {
		if e.Reads() && len(e.Values) > 0 && len(e.Holds)+len(f.Entry) > 0 {
			out = append(out, e)
		}
	}
	for _, r := range p.waits(f, 0) {
		if r.Kind == Leaves {
			out = append(out, r.At)
		}
	}
	for _, s := range p.operations(f, 0) {
		if s.Kind == Leaves {
			out = append(out, s.At)
		}
	}
	p.readsOf[f] = out
	return out
}

// IsCount reports whether e is an operation on a group that relies on its count.
func IsCount(e *funcsum.Event) bool { return len(e.Values) == 0 }
