package stalevalue

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// A cache is filled by who misses: two who do so at the same time both compute the
// entry, and the second replaces that of the first. If it is computed in the passage of
// the act, from what is there now, and never changed afterwards, the two are as good as
// each other, however old the miss is.

// rebuilt reports whether the act puts in a value that its own passage has made from
// what is there, and that nobody changes.
func (d *detector) rebuilt(s *stale) bool {
	w := s.act
	if w.Callee != nil || w.Within != nil || w.Key == "" || len(w.Inputs) == 0 || s.data || !d.isConstant(w.Inputs[0].Type()) {
		return false
	}
	for _, v := range d.pkg.Slice(d.f, w.Inputs[0]) {
		switch v.(type) {
		case *ssa.Const, *ssa.Parameter, *ssa.FreeVar, *ssa.Global, *ssa.Function, *ssa.Builtin, *ssa.FieldAddr:
			continue
		}
		instr, ok := v.(ssa.Instruction)
		if !ok || !d.inPassage(instr, s) {
			return false
		}
	}
	return slices.ContainsFunc(w.Data, func(i int) bool { return d.onePassage(d.f.Events[i], w) })
}

// inPassage reports whether an instruction of the function is in the passage of the act.
func (d *detector) inPassage(instr ssa.Instruction, s *stale) bool {
	for _, h := range s.act.Holds {
		if !h.Inner && slices.Contains(d.heldAt(instr), h.Class) && d.f.Order().Flows(instr, s.act.Instr) &&
			!d.f.Order().EndsBetween(instr, s.act.Instr, h.Path) {
			return true
		}
	}
	return false
}

// isConstant reports whether objects of a type stay as they were made.
func (d *detector) isConstant(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Pointer:
		return d.hasConstantFields(u.Elem())
	case *types.Struct:
		return d.hasConstantFields(t)
	}
	return false
}

func (d *detector) hasConstantFields(t types.Type) bool {
	u, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range u.Fields() {
		if hasIdentity(field.Type()) {
			return false
		}
		ref := accesspath.FieldRef(accesspath.Ref{}, t, field.Name())
		if !d.pkg.Location(ref.Loc).Constant() {
			return false
		}
		if _, ok := field.Type().Underlying().(*types.Struct); ok && !d.hasConstantFields(field.Type()) {
			return false
		}
	}
	return true
}

// hasIdentity reports whether two objects with a field of type t are never as good as
// each other: locks, atomic variables, channels.
func hasIdentity(t types.Type) bool {
	if _, ok := t.Underlying().(*types.Chan); ok {
		return true
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	path := named.Obj().Pkg().Path()
	return path == "sync" || path == "sync/atomic"
}
