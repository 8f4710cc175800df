package lifetime

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A Right is what decides that an operation is made.
type Right struct {
	// Claims are the locations that are tested and set in one step before.
	Claims []accesspath.Location
	// Tests are the reads that are tested in the section of the operation, and Asks the
	// locations that callees test there.
	Tests []*funcsum.Event
	Asks  []accesspath.Location
}

// with returns the right to an operation of a callee, which has the right r there, in a function
// that has the right o to the call.
func (r Right) with(o Right) Right {
	asks := slices.Clone(r.Asks)
	for _, e := range r.Tests {
		asks = append(asks, e.Loc)
	}
	return Right{slices.Concat(r.Claims, o.Claims), o.Tests, slices.Concat(asks, o.Asks)}
}

// RightTo returns what decides in f that control comes to an instruction.
func (p *Finder) RightTo(f *process.Func, at ssa.Instruction) Right {
	var r Right
	if len(f.Events) == 0 {
		return r
	}
	for br := range depgraph.Branches(f.Fn) {
		if !decides(br, at.Block()) {
			continue
		}
		slice := f.Slice(br.Cond)
		for _, e := range f.Events {
			if !e.Reads() || !slice.HasAny(e.Values) {
				continue
			}
			switch {
			case e.Writes() || e.Owned() || claimsInCallee(e):
				r.Claims = append(r.Claims, e.Loc)
			case inSection(f, e, at):
				r.Tests = append(r.Tests, e)
			}
		}
	}
	return r
}

// decides reports whether control comes to a block only by one side of a branch. Unlike control
// dependence that holds for the last block of an endless loop, too.
func decides(br *ssa.If, b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(br.Block().Succs, func(s *ssa.BasicBlock) bool { return len(s.Preds) == 1 && s.Dominates(b) })
}

// claimsInCallee reports whether the callee that makes the read e writes the location in the
// same section.
func claimsInCallee(e *funcsum.Event) bool {
	if e.Callee == nil {
		return false
	}
	read := e.Callee.Accesses[e.Index]
	return slices.ContainsFunc(e.Callee.Accesses, func(w fact.Access) bool {
		return w.Op&fact.Write != 0 && w.Loc == read.Loc && w.Base == read.Base && w.Regions&read.Regions != 0
	})
}

// RightOf returns what decides that f makes the access e, here or in a callee.
func (p *Finder) RightOf(f *process.Func, e *funcsum.Event) Right {
	r := p.RightTo(f, e.Instr)
	if e.Callee == nil {
		return r
	}
	own := e.Callee.Accesses[e.Index]
	for _, i := range own.Control {
		a := e.Callee.Accesses[i]
		switch {
		case a.Traits.Has(fact.Owned) || a.Op&fact.Write != 0:
			r.Claims = append(r.Claims, a.Loc)
		case a.Regions&own.Regions != 0:
			r.Asks = append(r.Asks, a.Loc)
		}
	}
	return r
}

// inSection reports whether the instruction lies in the section of a lock in which e is made.
func inSection(f *process.Func, e *funcsum.Event, at ssa.Instruction) bool {
	return slices.ContainsFunc(e.Holds, func(h funcsum.Hold) bool {
		return !h.Inner && f.Order().Flows(e.Instr, at) && !f.Order().EndsBetween(e.Instr, at, h.Path)
	})
}

// held returns the classes of the locks that f or all its callers hold in a state.
func held(f *process.Func, st *lockset.State) []accesspath.Location {
	var out []accesspath.Location
	for _, h := range st.Held {
		if f.Flow.Holds(h) && h.Class != "" {
			out = append(out, h.Class)
		}
	}
	for _, g := range f.Entry {
		out = append(out, g.Class)
	}
	return out
}
