package viewconsistency

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// This file has the facts about variables that hold references: the functions that set them, those that set them to nil, and the
// instructions that panic on nil.

// makers know which fields the functions that make objects give a value: those are not nil when an object is published.
type makers struct {
	pkg *summary.Package
	set map[accesspath.Location]bool // nil until somebody asks
}

// sets reports whether a function that makes objects gives a field of theirs a value.
func (m *makers) sets(l accesspath.Location) bool {
	if m.set == nil {
		m.set = make(map[accesspath.Location]bool)
		for _, f := range m.pkg.Funcs {
			if !f.Test && f.Constructs() {
				m.add(f)
			}
		}
	}
	return m.set[l]
}

// add adds the fields to which f gives a value.
func (m *makers) add(f *summary.Func) {
	for _, e := range f.Events {
		if e.Writes() && !e.Empties() {
			m.set[e.Loc] = true
		}
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if st, ok := instr.(*ssa.Store); ok && !ssautil.IsNil(st.Val) {
				m.set[accesspath.LocationOf(st.Addr)] = true // "" is asked for by nobody
			}
		}
	}
}

// revokers are the functions that set a reference to nil, by its location, in the order of the functions.
type revokers struct {
	at map[accesspath.Location][]revoker
}

// A revoker is a function, and its write of nil.
type revoker struct {
	f     *summary.Func
	clear *summary.Event
}

func (r *revokers) of(l accesspath.Location) []revoker { return r.at[l] }

// findRevokers finds the revokers of a package.
func findRevokers(p *summary.Package) *revokers {
	out := make(map[accesspath.Location][]revoker)
	for _, f := range p.Funcs {
		if f.Flow == nil || f.Constructs() || f.Test {
			continue
		}
		for _, e := range f.Events {
			if e.Writes() && e.Key == "" && e.Const == "nil" && !e.Distant && !e.Base.IsLocal() && storesReference(e) {
				out[e.Loc] = append(out[e.Loc], revoker{f, e})
			}
		}
	}
	return &revokers{out}
}

// storesReference reports whether a write of nil is one of a pointer, an interface or a function: those of an empty map or slice are
// followed all the same.
func storesReference(e *summary.Event) bool {
	values := e.Inputs
	if st, ok := e.Instr.(*ssa.Store); ok {
		values = []ssa.Value{st.Val}
	}
	return slices.ContainsFunc(values, func(v ssa.Value) bool {
		switch v.Type().Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Signature:
			return true
		}
		return false
	})
}

// failsOnNil returns an instruction that panics if what a load yields is nil, or nil: it is followed, or called.
func failsOnNil(f *summary.Func, load *summary.Event) ssa.Instruction {
	if at := f.Dereference(load); at != nil {
		return at
	}
	for _, v := range load.Values {
		for _, use := range ssautil.Uses(v) {
			if call, ok := use.(*ssa.Call); ok && call.Call.Value == v && (load.Callee == nil || call.Call.IsInvoke()) {
				return call
			}
		}
	}
	return nil
}

// isTestedInCallee reports whether the function of the package that reads a reference for f tests it, there or in another read, and has
// something else to return, or an error.
//
//	if s.log == nil { return standard }
//	return s.log
func isTestedInCallee(p *summary.Package, f *summary.Func, read *summary.Event) bool {
	for range fact.MaxDepth {
		g, inner := p.Processes().InCallee(f, read)
		if g == nil || returnsNil(g, read.Callee) {
			return false
		}
		for _, e := range g.Events {
			if e.Reads() && e.Loc == inner.Loc && isBranchedOn(g, e) {
				return true
			}
		}
		f, read = g, inner
	}
	return false
}

// isBranchedOn reports whether a branch of f depends on what a read yields.
func isBranchedOn(f *summary.Func, read *summary.Event) bool {
	for range f.BranchesOn(read.Values) {
		return true
	}
	return false
}

// returnsNil reports whether a function without an error among its results may return nil.
func returnsNil(f *summary.Func, sum *summary.FuncSummary) bool {
	results := f.Fn.Signature.Results()
	if n := results.Len(); n > 0 && ssautil.IsError(results.At(n-1).Type()) {
		return false
	}
	return slices.ContainsFunc(sum.Results, func(r fact.Result) bool { return r.Nil })
}

// isTestedBefore reports whether another read of the same variable, in the same section, has found that it is not nil.
//
//	if one.vm == nil { return "" }
//	return one.vm.addr
func isTestedBefore(f *summary.Func, read *summary.Event) bool {
	return slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		return e != read && e.Reads() && e.Loc == read.Loc && accesspath.Same(e.Base, read.Base) && summary.SharePassage(e, read) &&
			f.Knows(e, read.Instr.Block(), branch.Fact.NonNil)
	})
}
