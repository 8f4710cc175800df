package counterpart

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// Serial keys: each element is put into a container under a number that is counted up for it.
//
//	r.next++
//	s := &session{id: r.next}
//	r.sessions[s.id] = s
//
// A key is used once. Whoever looks for it later finds that element or none, but no other one.

// Serial reports whether all elements of a container are inserted under such numbers.
func (p *Finder) Serial(l accesspath.Location) bool {
	if p.serial == nil {
		p.serial = make(map[accesspath.Location]bool)
	}
	known, ok := p.serial[l]
	if !ok {
		known = p.findSerial(l)
		p.serial[l] = known
	}
	return known
}

func (p *Finder) findSerial(l accesspath.Location) bool {
	found := false
	for f := range p.Sharing() {
		for _, e := range f.Events {
			if e.Loc != l || !e.Writes() || e.Key == "" || e.Key.IsNested() || e.Op&(fact.Delete|fact.Content) != 0 {
				continue
			}
			if p.comesFromCallers(f, e) {
				continue // the callers have the number
			}
			if g, inner := p.InCallee(f, e); inner != nil && !p.comesFromCallers(g, inner) {
				continue // the callee has the number: it is asked itself
			}
			if !p.hasSerialKey(f, e) {
				return false
			}
			found = true
		}
	}
	return found
}

// comesFromCallers reports whether the key is a part of a parameter of f, all of whose callers are known.
func (p *Finder) comesFromCallers(f *process.Func, e *funcsum.Event) bool {
	root := e.Key.Path().Root()
	return root != accesspath.Unknown && !root.IsLocal() && !root.IsGlobal() &&
		p.OnlyCalled(f, func(*process.Func, ssa.Instruction) bool { return true })
}

// hasSerialKey reports whether the key of an insertion is a number that f has counted up.
func (p *Finder) hasSerialKey(f *process.Func, e *funcsum.Event) bool {
	var buf [10]*ssa.Value
	for _, v := range e.Instr.Operands(buf[:0]) {
		if *v == nil || !e.Key.Path().Within(f.Res.Key(*v).Path()) {
			continue
		}
		slice := f.Slice(*v)
		for _, n := range f.Events {
			if info := p.Location(n.Loc); n.Loc != e.Loc && info.Counter && slice.HasAny(n.Values) && isCounted(f, n) {
				return true
			}
		}
	}
	return false
}

// isCounted reports whether f counts up what an access reads, by that or in the section of it.
func isCounted(f *process.Func, n *funcsum.Event) bool {
	for _, w := range f.Events {
		if w.Writes() && w.Delta() && w.Loc == n.Loc && accesspath.Same(w.Base, n.Base) && (w.Instr == n.Instr || funcsum.SharePassage(w, n)) {
			return true
		}
	}
	return false
}
