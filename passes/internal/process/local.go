package process

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A local object is made by a run of a function, and only handed to goroutines that this run
// starts, and to callees that do not keep it. Another run of the function has another object, and
// so has whoever else calls its methods:
//
//	func Scan(dirs []string) []string {
//		s := &scan{}
//		for _, d := range dirs {
//			wg.Go(func() { s.add(d) }) // the only ones that run beside this on s
//		}
//		wg.Wait()
//		if s.n() > 10 { s.cut(10) }
//		return s.list()
//	}
//
// This is must-information: an object that is stored, sent, converted to an interface or handed to
// code of another package is not local.

// isLeftTo reports whether the object of an activity is local to its function, and no goroutine that has it is active at
// the same time.
func (p *Processes) isLeftTo(a, other Activity) bool {
	if a.Base == accesspath.Unknown || !a.Base.IsLocal() || a.F.Res == nil || len(p.Procs.reach[other.F.ID]) > limit.Roots {
		return false
	}
	has, ok := p.localTo(a.F, a.Base)
	if !ok {
		return false
	}
	return !slices.ContainsFunc(p.Procs.reach[other.F.ID], func(j int) bool {
		r := p.Procs.roots[j]
		return r.Go && has[r.starter] && !p.isOver(r, a)
	})
}

// localTo reports whether the object at base is local to f, and returns the functions that have it:
// they may start goroutines with it.
func (p *Processes) localTo(f *Func, base accesspath.Path) (map[int]bool, bool) {
	for !base.IsGlobal() && base != base.Root() {
		if !p.isExclusive(f.Resolver().Locate(base)) {
			return nil, false
		}
		base = base.Parent()
	}
	l := local{p: p, has: make(map[int]bool), seen: make(map[objectIn]bool)}
	if base.IsFresh() {
		return l.has, l.keeps(f, base, limit.LocalDepth)
	}
	call, ok := f.Resolver().Definition(base).(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return nil, false
	}
	n := p.Called(call.Call.StaticCallee())
	if n == nil {
		return nil, false
	}
	maker := p.Of(n)
	made, ok := madeBy(maker)
	return l.has, ok && l.keeps(maker, made, limit.LocalDepth) && l.keeps(f, base, limit.LocalDepth)
}

// madeBy returns the new object that all returns of f have as their first result.
func madeBy(f *Func) (accesspath.Path, bool) {
	made := accesspath.Unknown
	for _, r := range ssautil.Returns(f.Fn) {
		if len(r.Results) == 0 {
			continue
		}
		path := f.Resolver().Resolve(ssautil.Returned(r, 0)).Path
		if !path.IsFresh() || path != path.Root() || made != accesspath.Unknown && made != path {
			return accesspath.Unknown, false
		}
		made = path
	}
	return made, made != accesspath.Unknown
}

// A local follows a local object through functions.
type local struct {
	p    *Processes
	has  map[int]bool // the functions that have it
	seen map[objectIn]bool
}

// keeps reports whether f hands the object at root to nobody who keeps it.
func (l *local) keeps(f *Func, root accesspath.Path, depth int) bool {
	if o := (objectIn{f, root}); l.seen[o] {
		return true
	} else if l.seen[o] = true; depth == 0 {
		return false
	}
	l.has[f.ID] = true
	is := func(v ssa.Value) bool { return ssautil.IsReference(v.Type()) && f.Resolver().Resolve(v).Path == root }
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				if is(instr.Val) && !depgraph.IsVariable(instr.Addr) {
					return false
				}
			case *ssa.MapUpdate:
				if is(instr.Value) || is(instr.Key) {
					return false
				}
			case *ssa.Send:
				if is(instr.X) {
					return false
				}
			case *ssa.MakeInterface:
				if is(instr.X) {
					return false
				}
			case *ssa.Phi:
				if slices.ContainsFunc(instr.Edges, is) && !is(instr) {
					return false
				}
			case *ssa.MakeClosure:
				if !l.keepsBinding(f, instr, is, depth) {
					return false
				}
			case ssa.CallInstruction:
				if !l.keepsArgument(instr.Common(), is, depth) {
					return false
				}
			}
		}
	}
	return true
}

// keepsBinding is keeps for a literal that has captured the object. It has to be called, or run in
// a goroutine, by those who make it.
func (l *local) keepsBinding(f *Func, mc *ssa.MakeClosure, is func(ssa.Value) bool, depth int) bool {
	for i, b := range mc.Bindings {
		if !is(b) && !isVariableOf(f, b, is) {
			continue
		}
		n := l.p.ByFn[mc.Fn.(*ssa.Function)]
		if n == nil || slices.ContainsFunc(ssautil.Uses(mc), func(use ssa.Instruction) bool { return !runs(use, mc) }) {
			return false
		}
		g := l.p.Of(n)
		if !l.keeps(g, accesspath.Free(i), depth-1) {
			return false
		}
	}
	return true
}

// isVariableOf reports whether v is a variable of f with the object.
func isVariableOf(f *Func, v ssa.Value, is func(ssa.Value) bool) bool {
	return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
		st, ok := use.(*ssa.Store)
		return ok && st.Addr == v && is(st.Val)
	})
}

// runs reports whether the use of a closure is that it is called, or run in a goroutine.
func runs(use ssa.Instruction, mc *ssa.MakeClosure) bool {
	c, ok := use.(ssa.CallInstruction)
	if !ok {
		return false
	}
	if c.Common().Value == mc {
		return true
	}
	fn := ssautil.Target(c.Common())
	if fn == nil {
		return false
	}
	known := stdlib.OfFunc(ssautil.Object(fn))
	return known.Group || known.Runs == stdlib.Spawns
}

// keepsArgument is keeps for the callee of a call.
func (l *local) keepsArgument(c *ssa.CallCommon, is func(ssa.Value) bool, depth int) bool {
	if c.IsInvoke() {
		return !slices.ContainsFunc(c.Args, is)
	}
	for i, a := range c.Args {
		if !is(a) {
			continue
		}
		n := l.p.Called(c.StaticCallee())
		if n == nil || !l.keeps(l.p.Of(n), accesspath.Param(i), depth-1) {
			return false
		}
	}
	return true
}
