package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/summary"
)

// A stale index is a position in a list that was computed, or compared with the length, in one
// critical section, and is used in a later one: the list may be shorter then, or another element
// may be at that place. The act need not be a write.
//
//	return s.At(s.Len() - 1) // Pop may come in between, and At panics
//
//	if i := s.index(name); i >= 0 { s.removeAt(i) } // of another element
//
// What counts is that an element is accessed, or the list is cut, at the index without a comparison
// with the list in that section. That the index is in its range is no such comparison if it has been found by what is in
// an element: another one may be there. A rival must move or remove elements: one that appends leaves the
// others where they are.

// indexed returns the candidates with a use of an index that depends on the read.
func (p pair) indexed() []*candidate {
	if p.read.Key != "" || p.read.Writes() || p.read.Within != nil {
		return nil
	}
	var out []*candidate
	calls := make(map[int]bool)
	for _, e := range p.d.f.Events {
		if e.Loc != p.read.Loc || e.Ord == p.read.Ord || e.Within != nil || len(e.Holds) == 0 || calls[e.Ord] || !accesspath.Same(e.Base, p.read.Base) {
			continue
		}
		calls[e.Ord] = e.Callee != nil
		p.act, p.data = e, true
		out = p.candidate(out, indices)
	}
	return out
}

// usesStaleIndex: the act is at an index that depends on the read.
func (p *pair) usesStaleIndex() bool {
	if p.act.Callee == nil {
		return p.act.Reads() && p.act.Key == "" && slices.ContainsFunc(placesIn(p.act), func(at place) bool {
			return !at.moves && at.isUnchecked(p.d.f, p.act, p.isFound()) && p.isStale(at.index)
		})
	}
	call, ok := p.act.Instr.(*ssa.Call)
	if !ok {
		return false
	}
	for _, g := range p.d.calleesAt(call) {
		if len(g.Fn.Params) != len(call.Call.Args) {
			continue
		}
		for i, prm := range g.Fn.Params {
			if p.isStale(call.Call.Args[i]) && isIndexOf(g, prm, p.read.Loc, p.isFound()) {
				return true
			}
		}
	}
	return false
}

// isStale reports whether an index that the act uses is computed from what was read, or has been
// compared with that.
func (p *pair) isStale(index ssa.Value) bool {
	if _, fixed := index.(*ssa.Const); fixed {
		return false
	}
	if p.d.f.Slice(index).HasAny(p.read.Values) {
		return true
	}
	return slices.ContainsFunc(p.d.f.DirectBranches(p.act.Instr.Block()), func(br *ssa.If) bool {
		slice := p.d.f.Slice(br.Cond)
		return slice.HasAny(p.read.Values) && slice.Has(index)
	})
}

// isFound reports whether what was read is an index that has been found by what is in the elements of a list.
func (p *pair) isFound() bool {
	v, ok := p.read.Instr.(ssa.Value)
	return ok && p.read.Callee != nil && depgraph.IsSearch(v)
}

// isIndexOf reports whether g accesses the list at a location at an index that is computed from a
// parameter, and not compared with the list, see isUnchecked.
func isIndexOf(g *summary.Func, prm *ssa.Parameter, list accesspath.Location, found bool) bool {
	for _, e := range g.Events {
		if e.Loc != list || e.Key != "" || e.Callee != nil || !e.Reads() {
			continue
		}
		for _, at := range placesIn(e) {
			if g.Slice(at.index).Has(prm) && at.isUnchecked(g, e, found) {
				return true
			}
		}
	}
	return false
}

// A place is a use of an index into a list.
type place struct {
	use   ssa.Instruction
	index ssa.Value
	moves bool // the list is cut there, or elements are moved
}

// placesIn returns the places in the list that e reads.
func placesIn(e *summary.Event) []place {
	var out []place
	for _, v := range e.Values {
		if v.Referrers() == nil {
			continue
		}
		for _, use := range *v.Referrers() {
			switch use := use.(type) {
			case *ssa.IndexAddr:
				if use.X == v {
					out = append(out, place{use, use.Index, false})
				}
			case *ssa.Slice:
				for _, bound := range []ssa.Value{use.Low, use.High} {
					if bound != nil {
						out = append(out, place{use, bound, true})
					}
				}
			case *ssa.Call:
				for _, index := range indicesOf(use, v) {
					out = append(out, place{use, index, true})
				}
			}
		}
	}
	return out
}

// indicesOf returns the indices in a call that moves the elements of a list: slices.Delete(list, i, j).
func indicesOf(call *ssa.Call, list ssa.Value) []ssa.Value {
	fn := call.Call.StaticCallee()
	if fn == nil || !stdlib.OfFunc(ssautil.Object(fn)).Shifts || call.Call.Args[0] != list {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(call.Call.Args[1:]), func(arg ssa.Value) bool { return !ssautil.IsNumber(arg.Type()) })
}

// isUnchecked reports whether f does not compare the index with the list that e reads, or with what
// else its section reads of it. A comparison with the length of the list does not count if the index has been found by what is
// in an element.
func (at place) isUnchecked(f *summary.Func, e *summary.Event, found bool) bool {
	if _, isCall := at.use.(*ssa.Call); found && !isCall && at.isLook(f) {
		return false
	}
	index := f.Slice(at.index)
	for _, o := range f.Events {
		if !o.Reads() || o.Loc != e.Loc || !summary.SharePassage(o, e) {
			continue
		}
		if index.HasAny(o.Values) || slices.ContainsFunc(f.Branches(&summary.Event{Instr: at.use}), func(br *ssa.If) bool {
			slice := f.Slice(br.Cond)
			return slice.HasAny(o.Values) && !(found && isRangeCheck(br.Cond)) || looksInto(slice, o.Values)
		}) {
			return false
		}
	}
	return true
}

// isLook reports whether the element is looked at to decide.
func (at place) isLook(f *summary.Func) bool {
	for br := range depgraph.Branches(f.Fn) {
		if slices.ContainsFunc(f.Slice(br.Cond), func(v ssa.Value) bool { return addressOf(v) == at.use }) {
			return true
		}
	}
	return false
}

// addressOf returns the address that v is loaded from, v itself if it is not loaded, as an instruction or nil.
func addressOf(v ssa.Value) ssa.Instruction {
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	at, _ := v.(ssa.Instruction)
	return at
}

// looksInto reports whether a condition depends on what is in an element of a list.
func looksInto(cond depgraph.Slice, list []ssa.Value) bool {
	return slices.ContainsFunc(cond, func(v ssa.Value) bool {
		at, ok := addressOf(v).(*ssa.IndexAddr)
		return ok && slices.Contains(list, at.X)
	})
}

// isRangeCheck reports whether a condition compares something with the length of a list.
func isRangeCheck(cond ssa.Value) bool {
	x, ok := cond.(*ssa.BinOp)
	return ok && (depgraph.LengthOf(x.X) != x.X || depgraph.LengthOf(x.Y) != x.Y)
}

// moves: the rival removes or moves elements, or stores another list.
//
//	s.mu.Lock(); s.list = append(s.list, x); s.mu.Unlock() // what is there stays
func (r rival) moves() bool {
	return r.writer.Effect == summary.Removes || r.writer.Effect != summary.Raises && !r.writer.Part
}

// ofIndex limits a rule to the rivals of uses of stale indices.
func ofIndex(r rival) bool { return r.candidate != nil && r.candidate.link == staleIndex }
