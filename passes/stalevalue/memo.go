package stalevalue

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A memo keeps the result of a computation from what does not change. It is filled where nothing
// was, in one section, and two goroutines that find nothing fill it alike:
//
//	n.mu.Lock(); size, known := n.size, n.known; n.mu.Unlock()
//	if !known {
//		for _, k := range n.kids { size += k.Size() }
//		n.mu.Lock(); n.size, n.known = size, true; n.mu.Unlock()
//	}
//
// What is read of a memo is the result for its object, or nothing, so that a memo may be computed
// from those of other objects (by induction over the calls), and from what was found in it.
// All else must be determined: constants, the receiver and what does not change in it, the key of
// the element, and what a computation makes of these. It is must-information: what is not known
// is not determined. A file that is read may have changed, for example.
//
// The second fill puts another object in the place of the first one, if it puts one. That does
// no harm if nobody changes such objects, compares references to them, or has to close them.
type memo struct {
	c     *candidate
	fills []*summary.Event
}

// fillsMemo: the act is one of the writes that fill a memo.
func (c *candidate) fillsMemo() bool {
	if c.act.Callee != nil || c.waits() || len(c.conditions()) == 0 || !c.testsPresence() || c.hasVisibleEffects() || c.leadsToOperation(c.conditionSet()) {
		return false
	}
	m := memo{c: c}
	for _, e := range c.d.f.Events {
		if !e.Writes() || e != c.act && !slices.Contains(e.Control, c.readIndex) || c.isRecursive(e) {
			continue
		}
		switch {
		case e.Op&summary.Delete != 0 && e.Loc == c.act.Loc && c.act.Key != "" && c.d.oneSection(e, c.act):
			// It makes room for the new element: what is no longer in a memo is computed again.
		case summary.SharePassage(e, c.act):
			m.fills = append(m.fills, e)
		case len(e.Holds) == 0 && e.Base.IsLocal(): // a part of what is put there
		case !summary.SharePassage(e, c.read):
			return false // the decision is stale for this one
		}
	}
	return m.has(c.read.Loc) && m.has(c.act.Loc) && (!m.adds() || c.foundNothing()) &&
		!slices.ContainsFunc(m.fills, func(e *summary.Event) bool { return !m.isFill(e) || m.hasOther(e) })
}

// has reports whether a location is a part of the memo.
func (m *memo) has(l accesspath.Location) bool {
	return slices.ContainsFunc(m.fills, func(e *summary.Event) bool { return e.Loc == l })
}

// adds reports whether what is put into the memo is computed from what was found there.
func (m *memo) adds() bool {
	return slices.ContainsFunc(m.fills, func(e *summary.Event) bool { return slices.Contains(e.Data, m.c.readIndex) })
}

// foundNothing reports whether it is known where the act is made what was read: a constant, or
// that nothing was there.
func (p *pair) foundNothing() bool {
	return slices.ContainsFunc(p.facts(), func(f fact) bool { return f.equal == (f.to != present) })
}

// toldNothing reports whether all that decides about the act is that the second result of a look-up is false.
//
//	if v, ok := c.cache.Get(k); ok { return v }
func (p *pair) toldNothing() bool {
	told := false
	in, at := p.decision()
	for _, br := range in.d.f.Deciding(at) {
		if !in.d.f.Slice(br.Cond).HasAny(in.read.Values) {
			continue
		}
		x, _ := br.Cond.(*ssa.Extract)
		if told = x != nil && x.Index > 0 && in.d.only(br, 1, at); !told {
			return false
		}
	}
	return told
}

// isFill reports whether a write puts a value that is determined.
func (m *memo) isFill(e *summary.Event) bool {
	if e.Callee != nil || e.Within != nil || e.Op&(summary.Delete|summary.Content) != 0 || len(e.Inputs) == 0 || e.Delta() {
		return false
	}
	return (e.Op&summary.Fixed != 0 || m.isFound(e)) && m.c.d.isExchangeable(e) && m.isDetermined(e) && !m.c.d.isDrawn(e)
}

// isFound reports whether the value of a write is also looked for in the section of the read: who
// finds it needs no other one.
//
//	if _, ok := s.byID[id]; ok { return errDuplicate } // does not take what it finds
func (m *memo) isFound(e *summary.Event) bool {
	return slices.ContainsFunc(m.c.d.f.Events, func(r *summary.Event) bool {
		return r.Reads() && r.Op&summary.Presence == 0 && len(r.Values) > 0 && sameCell(r, e) && (r == m.c.read || summary.SharePassage(r, m.c.read))
	})
}

// hasOther reports whether another write than that of the memo puts a value in its place, not
// nothing.
func (m *memo) hasOther(e *summary.Event) bool {
	return slices.ContainsFunc(m.c.d.pkg.Location(e.Loc).Writers, func(w summary.Writer) bool {
		return !empties(&w) && !slices.ContainsFunc(m.fills, func(own *summary.Event) bool { return own.Pos.Pos == w.Pos.Pos && w.Fn == m.c.d.f.ID })
	})
}

// empties reports whether a writer leaves a place with nothing in it.
func empties(w *summary.Writer) bool {
	return w.Const != "" && isEmpty(w.Const) || w.Effect == summary.Removes
}

// isDetermined reports whether the value that e puts is the same in each run for the same object
// and key.
func (m *memo) isDetermined(e *summary.Event) bool {
	d := m.c.d
	var key ssa.Value
	if len(e.Inputs) > 1 {
		key = e.Inputs[1]
	}
	seen := make(map[ssa.Value]bool)
	work := slices.Clone(d.f.Slice(e.Inputs[0]))
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[v] || v == key {
			continue
		}
		if seen[v] = true; !m.isComputed(v) {
			return false
		}
		for _, part := range contents(v) {
			work = append(work, d.f.Slice(part)...)
		}
	}
	return !slices.ContainsFunc(d.f.Events, func(r *summary.Event) bool {
		return r.Reads() && len(r.Holds) > 0 && !m.isKnown(r) && slices.ContainsFunc(r.Values, func(v ssa.Value) bool { return seen[v] })
	})
}

// isKnown reports whether what was read is the result for another object, or was read before the
// memo was filled, together with what has shown that nothing was there.
func (m *memo) isKnown(r *summary.Event) bool {
	return m.has(r.Loc) && (m.c.isRecursive(r) || summary.SharePassage(r, m.c.read))
}

// isRecursive reports whether a call of the function by itself makes an access.
func (c *candidate) isRecursive(e *summary.Event) bool {
	call, ok := e.Instr.(ssa.CallInstruction)
	return ok && e.Callee != nil && ssautil.Target(call.Common()) == c.d.f.Fn
}

// isComputed reports whether a value is determined by its operands.
func (m *memo) isComputed(v ssa.Value) bool {
	fn := m.c.d.f.Fn
	switch v := v.(type) {
	case *ssa.Parameter:
		return fn.Signature.Recv() != nil && v == fn.Params[0]
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return !ok || m.isComputed(call)
	case *ssa.Call:
		if ssautil.Builtin(&v.Call) != "" || ssautil.Target(&v.Call) == fn {
			return true
		}
		return m.c.d.pkg.Processes().Deterministic(v) && !slices.ContainsFunc(v.Call.Args, limitsTime)
	case *ssa.UnOp:
		return v.Op != token.ARROW
	case *ssa.Range:
		return ssautil.IsString(v.X.Type()) // a map has no order
	case *ssa.Select, *ssa.FreeVar, *ssa.MakeChan, *ssa.MakeClosure:
		return false
	}
	return true
}

// contents returns the values that are stored in the memory that v refers to, if it is made here.
func contents(v ssa.Value) []ssa.Value {
	switch v.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
	default:
		return nil
	}
	var out []ssa.Value
	work := []ssa.Value{v}
	for len(work) > 0 {
		at := work[0]
		work = work[1:]
		for _, use := range ssautil.Uses(at) {
			switch use := use.(type) {
			case *ssa.FieldAddr, *ssa.IndexAddr:
				if use.(ssa.Value) != at {
					work = append(work, use.(ssa.Value))
				}
			case *ssa.Store:
				if use.Addr == at {
					out = append(out, use.Val)
				}
			case *ssa.MapUpdate:
				if use.Map == at {
					out = append(out, use.Key, use.Value)
				}
			}
		}
	}
	return out
}

// isExchangeable reports whether of two equal values that e may put one is as good as the other.
func (d *detector) isExchangeable(e *summary.Event) bool {
	v := put(e)
	if isBare(v) {
		return false
	}
	t := v.Type()
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Struct:
		return d.isConstant(t)
	case *types.Pointer:
		switch u.Elem().Underlying().(type) {
		case *types.Struct:
			return !closes(t) && d.isConstant(t) && !d.comparesReferences(t) && !d.isChangedThere(e)
		case *types.Map, *types.Slice, *types.Array, *types.Basic:
			return !d.isChangedThere(e)
		}
	case *types.Map:
		return ssautil.IsPlain(u.Key()) && ssautil.IsPlain(u.Elem()) && !d.isChangedThere(e)
	case *types.Slice:
		return ssautil.IsPlain(u.Elem()) && !d.isChangedThere(e)
	}
	return false
}

// put returns what a write puts into its place, without the conversion to an interface.
func put(e *summary.Event) ssa.Value { return ssautil.Unboxed(e.Inputs[0]) }

// isBare reports whether v is an object made here that nothing was computed for: it is there to be told apart.
func isBare(v ssa.Value) bool {
	_, made := v.(*ssa.Alloc)
	return made && !slices.ContainsFunc(contents(v), isNoConstant)
}

func isNoConstant(v ssa.Value) bool {
	_, is := v.(*ssa.Const)
	return !is
}

// isChangedThere reports whether some function changes, in place, what the location of e refers
// to.
func (d *detector) isChangedThere(e *summary.Event) bool {
	if info := d.pkg.Location(e.Loc); e.Key == "" && slices.ContainsFunc(info.Writers, func(w summary.Writer) bool { return w.Part }) {
		return true
	}
	return d.anyRead(e.Loc, func(_ *summary.Func, r *summary.Event) bool {
		return (r.Key == "") == (e.Key == "") && slices.ContainsFunc(r.Values, d.isChanged)
	})
}

// comparesReferences reports whether the package compares two pointers of type t, or has them as
// keys.
func (d *detector) comparesReferences(t types.Type) bool {
	for _, f := range d.pkg.Funcs {
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case *ssa.BinOp:
					_, x := instr.X.(*ssa.Const)
					_, y := instr.Y.(*ssa.Const)
					if !x && !y && types.Identical(instr.X.Type(), t) {
						return true
					}
				case *ssa.MapUpdate:
					if types.Identical(instr.Key.Type(), t) {
						return true
					}
				}
			}
		}
	}
	return false
}
