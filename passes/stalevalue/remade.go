package stalevalue

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// isRemade: the rival, which renews the field that decided about the removal, also inserts a new element where there is none; all other fields of
// an element are constant, and the removal ends nothing. A lost renewal costs the work of one insertion.
//
//	c.entries.Range(func(k, v any) bool {
//		if v.(*entry).used.Load() < deadline { c.entries.Delete(k) }
//		return true
//	})
//
//	v, ok := c.entries.Load(k) // the rival
//	if !ok { v = &entry{text: c.make(k)}; c.entries.Store(k, v) }
//	v.(*entry).used.Store(now())
//
// The container is a cache. A lease is not inserted by the rival that renews it.
func (r rival) isRemade() bool {
	c := r.candidate
	return r.d.writerMakes(r.writer, func(e *summary.Event) bool {
		return e.Writes() && e.Loc == c.act.Loc && e.Op&summary.Delete == 0 && e.Const == ""
	}) && r.d.isFixedBut(c.read.Loc) && !c.usesRemoved()
}

// isFixedBut reports whether all fields of a struct other than one have the value that it was made with, and that none is a channel, by which it
// may be ended.
func (d *detector) isFixedBut(field accesspath.Location) bool {
	owner, ok := d.pass.Pkg.Scope().Lookup(field.Type()).(*types.TypeName)
	if !ok || field.Pkg() != d.pass.Pkg.Path() {
		return false
	}
	st, ok := owner.Type().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		l := field[:len(field)-len(field.LastField())] + accesspath.Location(f.Name())
		if _, isChan := f.Type().Underlying().(*types.Chan); isChan {
			return false
		}
		if info := d.pkg.Location(l); l != field && info != nil && !info.Constant() {
			return false
		}
	}
	return true
}

// usesRemoved reports whether the function gives the element, or a part of it, to a callee: that may end it.
func (c *candidate) usesRemoved() bool {
	element := c.act.ElementPath()
	return ssautil.AnyInstr(c.d.f.Fn, func(instr ssa.Instruction) bool {
		call, ok := instr.(ssa.CallInstruction)
		if !ok || instr == c.read.Instr || instr == c.act.Instr {
			return false
		}
		operands := call.Common().Args
		if call.Common().IsInvoke() {
			operands = append(slices.Clone(operands), call.Common().Value)
		}
		return slices.ContainsFunc(operands, func(v ssa.Value) bool { return c.d.f.Res.Resolve(v).Path.Within(element) })
	})
}
