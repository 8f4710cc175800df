package viewconsistency

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// The rules of this file say whether a reader that finds an object before it is complete fails (see unfinished).

// needsField: the reader fails if the field is zero.
func (c *unfinished) needsField() bool { return c.reader.NeedsValue(c.read) != nil }

// setBefore: the function has set the field before others can find the object, too: before the entry, or in its section.
//
//	f := &filter{deliver: drop}
func (c *unfinished) setBefore() bool {
	early := func(set ssa.Instruction) bool {
		if set == c.write.Instr {
			return false
		}
		order := c.d.f.Order()
		return order.Flows(set, c.entry.Instr) || slices.ContainsFunc(c.entry.Holds, func(h summary.Hold) bool {
			return order.Flows(c.entry.Instr, set) && !order.EndsBetween(c.entry.Instr, set, h.Path)
		})
	}
	return setsEarly(c.made, c.write.Loc, early)
}

// setsEarly reports whether a field of a new object is set by its maker, or by an instruction that is early.
func setsEarly(made ssa.Value, field accesspath.Location, early func(set ssa.Instruction) bool) bool {
	if call, ok := made.(*ssa.Call); ok && storesField(call.Call.StaticCallee(), field) {
		return true // by the one who makes it
	}
	for _, use := range ssautil.Uses(made) {
		switch use := use.(type) {
		case *ssa.Store: // *f = filter{deliver: drop}
			if use.Addr == made && early(use) {
				return true
			}
		case *ssa.FieldAddr:
			if accesspath.LocationOf(use) == field && slices.ContainsFunc(ssautil.Uses(use), func(st ssa.Instruction) bool {
				_, ok := st.(*ssa.Store)
				return ok && early(st)
			}) {
				return true
			}
		case ssa.CallInstruction: // f.init()
			if early(use) && storesField(use.Common().StaticCallee(), field) {
				return true
			}
		}
	}
	return false
}

// storesField reports whether a function, or one that it calls, stores to a field. Of a function that is not known it is assumed.
func storesField(fn *ssa.Function, field accesspath.Location) bool {
	if fn == nil || len(fn.Blocks) == 0 {
		return true
	}
	stores := func(instr ssa.Instruction) bool {
		st, ok := instr.(*ssa.Store)
		if !ok {
			return false
		}
		at, ok := st.Addr.(*ssa.FieldAddr)
		return ok && accesspath.LocationOf(at) == field
	}
	return ssautil.AnyInstr(fn, stores) || ssautil.AnyInstr(fn, func(instr ssa.Instruction) bool {
		call, ok := instr.(ssa.CallInstruction)
		return ok && call.Common().StaticCallee() != nil && ssautil.AnyInstr(call.Common().StaticCallee(), stores)
	})
}

// heldUntilSet: a lock that the reader needs, where it looks for the object or reads the field, is held from the entry to the write.
func (c *unfinished) heldUntilSet() bool {
	keepsOut := func(e *summary.Event) bool { return c.d.f.KeepsOut(c.entry, c.write, c.reader, e) }
	return keepsOut(c.read) || slices.ContainsFunc(c.reader.Events, func(e *summary.Event) bool { return e.Loc == c.entry.Loc && e.Reads() && keepsOut(e) })
}

// readerAsks: the reader asks something of the object, or of what the function writes together with the field, or waits for it, first.
//
//	for _, f := range s.filters { if f.ready { f.deliver(m) } }
func (c *unfinished) readerAsks() bool {
	use := c.reader.NeedsValue(c.read)
	if use == nil {
		return false
	}
	return slices.ContainsFunc(c.reader.Conditions(&summary.Event{Instr: use}), func(cond ssa.Value) bool {
		slice := c.reader.Slice(cond)
		return slices.ContainsFunc(slice, c.asksObject) || slices.ContainsFunc(c.reader.Events, func(e *summary.Event) bool {
			return e.Reads() && slice.HasAny(e.Values) && c.isWrittenWith(e.Loc)
		})
	}) || ssautil.AnyInstr(c.reader.Fn, func(instr ssa.Instruction) bool {
		receive, ok := instr.(*ssa.UnOp)
		return ok && receive.Op == token.ARROW && c.asksObject(receive.X) && ssautil.Precedes(receive, use)
	})
}

// asksObject reports whether a value is a part of the object, or the answer of a function that is given it: f.ready, f.ready.Load(), isLive(f).
func (c *unfinished) asksObject(v ssa.Value) bool {
	res := c.reader.Resolver()
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.Op == token.MUL && res.Resolve(v.X).Base.Within(c.read.Base)
	case *ssa.Call:
		return slices.ContainsFunc(v.Call.Args, func(arg ssa.Value) bool { return res.Resolve(arg).Path.Within(c.read.Base) })
	}
	return false
}

// isWrittenWith reports whether the function writes a location, other than the container, in the section in which it sets the field.
func (c *unfinished) isWrittenWith(l accesspath.Location) bool {
	return slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc == l && l != c.entry.Loc && summary.SharePassage(w, c.write)
	})
}

// runsBeside: the reader can run while the function is between the two sections.
func (c *unfinished) runsBeside() bool { return c.d.pkg.Processes().MayRunTogether(c.d.f, c.reader) }
