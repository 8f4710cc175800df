package stalevalue

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A reference to a guarded container need not escape by itself. It may be in a struct that the
// function makes, or in a variable that a function literal fills within the critical section:
//
//	return Snapshot{At: now, Items: s.items}
//
//	s.locked(func() { items = s.items })
//
// Who gets the struct has the reference, if the field is exported. A struct that is also given
// the object, or its lock, can take the lock before it looks: it is an iterator or a cursor.

// carriers returns v and the values by which the function hands v on: slices of v, interfaces,
// and structs that have v in an exported field. owner is the object that v was read from.
func carriers(d *detector, v ssa.Value, owner accesspath.Path) []ssa.Value {
	out := aliases(v)
	add := func(v ssa.Value) {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for i := 0; i < len(out); i++ {
		for _, use := range ssautil.Uses(out[i]) {
			switch use := use.(type) {
			case *ssa.MakeInterface:
				add(use)
			case *ssa.Store:
				made := exportedFieldOf(use.Addr)
				if use.Val != out[i] || made == nil || d.leadsBack(made, owner) {
					continue
				}
				add(made)
				for _, load := range ssautil.Uses(made) {
					if l, ok := load.(*ssa.UnOp); ok && l.X == made {
						add(l)
					}
				}
			}
		}
	}
	return out
}

// exportedFieldOf returns the new struct that addr is an exported field of, or nil.
func exportedFieldOf(addr ssa.Value) *ssa.Alloc {
	at, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	if f := ssautil.Field(at.X.Type(), at.Field); f == nil || !f.Exported() {
		return nil
	}
	made, _ := at.X.(*ssa.Alloc)
	return made
}

// leadsBack reports whether a new struct also has a pointer to the object at owner, to a part of
// it, or to what it is a part of.
func (d *detector) leadsBack(made *ssa.Alloc, owner accesspath.Path) bool {
	for _, use := range ssautil.Uses(made) {
		at, ok := use.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, use := range ssautil.Uses(at) {
			st, ok := use.(*ssa.Store)
			if !ok || st.Addr != at {
				continue
			}
			if _, isPointer := st.Val.Type().Underlying().(*types.Pointer); isPointer && related(d.f.Res.Resolve(st.Val).Path, owner) {
				return true
			}
		}
	}
	return false
}

// sendsOf returns the instructions that send v, or a struct with it, to a channel.
func (d *detector) sendsOf(r *summary.Event, v ssa.Value) []ssa.Instruction {
	var out []ssa.Instruction
	for _, given := range carriers(d, v, r.Base) {
		for _, use := range ssautil.Uses(given) {
			switch use := use.(type) {
			case *ssa.Send:
				if use.X == given {
					out = append(out, use)
				}
			case *ssa.Select:
				if slices.ContainsFunc(use.States, func(s *ssa.SelectState) bool { return s.Send == given }) {
					out = append(out, use)
				}
			}
		}
	}
	return out
}

// isSent reports whether the use is one of those.
func (r *reference) isSent() bool {
	switch r.use.(type) {
	case *ssa.Send, *ssa.Select:
		return true
	}
	return false
}

// capturedBy returns the loads of the variables of the function into which a literal, which
// reads in a critical section, stores what it has read.
func (d *detector) capturedBy(r *summary.Event, v ssa.Value) []ssa.Value {
	var out []ssa.Value
	for _, use := range ssautil.Uses(v) {
		st, ok := use.(*ssa.Store)
		if !ok || st.Val != v {
			continue
		}
		captured, ok := st.Addr.(*ssa.FreeVar)
		if !ok {
			continue
		}
		variable, ok := depgraph.Binding(captured).(*ssa.Alloc)
		if !ok || variable.Parent() != d.f.Fn {
			continue
		}
		for _, use := range ssautil.Uses(variable) {
			if l, ok := use.(*ssa.UnOp); ok && l.X == variable && d.f.Order().Flows(r.Instr, l) {
				out = append(out, l)
			}
		}
	}
	return out
}

// asArgument returns the call that gets v as one of its variadic arguments, or nil.
func asArgument(st *ssa.Store) ssa.Instruction {
	at, ok := st.Addr.(*ssa.IndexAddr)
	if !ok || !ssautil.IsVariadicArray(at.X) {
		return nil
	}
	for _, use := range ssautil.Uses(at.X) {
		if whole, ok := use.(*ssa.Slice); ok {
			for _, use := range ssautil.Uses(whole) {
				if call, ok := use.(*ssa.Call); ok {
					return call
				}
			}
		}
	}
	return nil
}
