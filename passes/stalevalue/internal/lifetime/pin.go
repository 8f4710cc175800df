package lifetime

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Pins reports whether f, or the callee that makes the read e, does something to the object in
// the section of guard in which it has found the object, by which who ends the object can know
// that it is in use: it takes a lock of the object, or writes into it.
//
//	t.mu.Lock()
//	o := t.objects[k]
//	o.users++
//	t.mu.Unlock()
func (p *Finder) Pins(f *process.Func, e *funcsum.Event, guard funcsum.Hold) bool {
	if e.Callee != nil {
		return p.inCallee(f, e, func(g *process.Func, r *funcsum.Event) bool {
			return slices.ContainsFunc(r.Holds, func(h funcsum.Hold) bool { return p.Pins(g, r, h) })
		})
	}
	o := p.Found(f, e)
	in := func(instr ssa.Instruction) bool {
		return instr != e.Instr && f.Order().Flows(e.Instr, instr) && (guard.Inner || !f.Order().EndsBetween(e.Instr, instr, guard.Path))
	}
	if guard.Inner {
		return false // an atomic operation does nothing else
	}
	for _, w := range f.Events {
		if _, deferred := w.Instr.(*ssa.Defer); !deferred && w.Writes() && w.Loc != e.Loc && p.within(f, o, w) && in(w.Instr) {
			return true
		}
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && pinsBy(f, o, c) && in(instr) {
				return true
			}
		}
	}
	return false
}

// pinsBy reports whether a call takes a lock of the object o, or counts a user of it.
func pinsBy(f *process.Func, o *Object, c *ssa.Call) bool {
	if len(c.Call.Args) == 0 || !o.Has(c.Call.Args[0]) {
		return false
	}
	for _, op := range f.Ops()[c] {
		if op.Kind == lockset.Acquire {
			return true
		}
	}
	obj := ssautil.Method(&c.Call)
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "sync" && obj.Name() == "Add"
}

// Confirms reports whether the callee that makes the read e of f takes a lock of the object that
// it has found, and then looks whether it is still there: it returns the object with the lock.
//
//	o := t.find(k)
//	o.mu.Lock()
//	if t.find(k) == o { return o }
func (p *Finder) Confirms(f *process.Func, e *funcsum.Event) bool {
	return e.Callee != nil && p.inCallee(f, e, func(g *process.Func, r *funcsum.Event) bool {
		o := p.Found(g, r)
		return slices.ContainsFunc(g.Events, func(again *funcsum.Event) bool {
			return again.Reads() && again.Loc == r.Loc && again.Instr != r.Instr && p.locksBetween(g, o, r, again) && isTested(g, again)
		}) || p.Confirms(g, r)
	})
}

// locksBetween reports whether f takes a lock of the object o between two accesses.
func (p *Finder) locksBetween(f *process.Func, o *Object, a, b *funcsum.Event) bool {
	for instr, ops := range f.Ops() {
		c, ok := instr.(*ssa.Call)
		if ok && ops[0].Kind == lockset.Acquire && len(c.Call.Args) > 0 && o.Has(c.Call.Args[0]) && f.Order().Flows(a.Instr, c) && f.Order().Flows(c, b.Instr) {
			return true
		}
	}
	return false
}

// isTested reports whether a branch depends on what e reads.
func isTested(f *process.Func, e *funcsum.Event) bool {
	return f.DecidesBranch(e.Values)
}
