package announce

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// Data is what a signal can announce: what is written under a lock or atomically, and the count
// of a sync.WaitGroup. A write that is neither is a data race if the signal does not order it.

// Written returns the writes of data by f.
func (p *Finder) Written(f *process.Func) []*funcsum.Event {
	var out []*funcsum.Event
	for _, e := range f.Events {
		if e.Writes() && len(e.Holds)+len(f.Entry) > 0 && e.Base != accesspath.Unknown {
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

// Reads returns the reads of the data at a location by f: its accesses, and the operations on a
// group that rely on its count. A Wait returns too early if the count does not come first, and a Done
// panics.
func (p *Finder) Reads(f *process.Func, l accesspath.Location) []*funcsum.Event {
	index, ok := p.reads[f]
	if !ok {
		index = make(map[accesspath.Location][]*funcsum.Event)
		for _, e := range f.Events {
			if e.Reads() && len(e.Values) > 0 && len(e.Holds)+len(f.Entry) > 0 {
				index[e.Loc] = append(index[e.Loc], e)
			}
		}
		for _, r := range p.waits(f, 0) {
			if r.Kind == Leaves {
				index[r.At.Loc] = append(index[r.At.Loc], r.At)
			}
		}
		for _, s := range p.operations(f, 0) {
			if s.Kind == Leaves {
				index[s.At.Loc] = append(index[s.At.Loc], s.At)
			}
		}
		p.reads[f] = index
	}
	return index[l]
}

// IsCount reports whether e is an operation on a group that relies on its count.
func IsCount(e *funcsum.Event) bool { return len(e.Values) == 0 }
