package process

import (
	"cmp"
	"fmt"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/closedworld"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// Outside computes what the package knows for a driver that sees all packages of a program: which
// functions of other packages it calls, by which of its roots, on which objects and with which
// locks held, and which functions unknown code can get from it. See package closedworld.
//
// In contrast to the process graph, a call on an object before its publication is a call: the
// callee may call something else on another object.

// Outside returns what the package knows of its calls. instances are the instances of generic
// functions and types in it.
func (p *Processes) Outside(scope Scope) *closedworld.Unit {
	o := &outside{p: p, scope: scope, unit: &closedworld.Unit{Package: p.Pkg.Path(), Program: p.Pkg.Name() == "main"}, index: make(map[closedworld.Root]int), known: make(map[string]bool)}
	out, tests := newHandout(p.Pkg, scope), newHandout(p.Pkg, scope)
	for _, f := range p.Funcs {
		if f.Test {
			o.unit.Tested = true
			tests.function(f.Fn)
		} else {
			out.function(f.Fn)
		}
	}
	for _, imp := range p.Pkg.Imports() {
		o.unit.Imports = append(o.unit.Imports, imp.Path())
	}
	slices.Sort(o.unit.Imports)
	if scope.IsStandard(p.Pkg) {
		out := out.lists()
		return &closedworld.Unit{Package: p.Pkg.Path(), Imports: o.unit.Imports, Handout: closedworld.Handout{Reflects: out.Reflects, Invoked: out.Invoked}}
	}
	out.leak(p.Pkg)
	o.unit.Handout, o.unit.Tests = out.lists(), tests.lists()
	o.unit.Invoked, o.unit.Tests.Invoked = nil, nil // they are calls
	o.unit.Makes = p.exclusives().made()
	for _, f := range p.Funcs {
		o.function(f)
	}
	o.unit.Sort()
	return o.unit
}

// An outside collects the calls of a package that leave it.
type outside struct {
	p     *Processes
	scope Scope
	unit  *closedworld.Unit
	index map[closedworld.Root]int // of the roots in unit
	known map[string]bool          // the calls in unit
}

// allCalls returns the graph of all calls, with the roots of the process graph in the same order,
// and one for each function that is handed to code that may call it at any time.
func (p *Processes) allCalls() *Graph {
	if p.calls != nil {
		return p.calls
	}
	g := New(len(p.Funcs))
	for i := range p.Funcs {
		for _, s := range p.sitesOf[i] {
			if s.call.Kind == fact.Called {
				g.AddCall(s.caller.ID, i)
			}
		}
	}
	for _, r := range p.Procs.roots {
		g.AddRoot(r)
	}
	for i, f := range p.Funcs {
		if slices.ContainsFunc(p.sitesOf[i], p.isHandedOut) {
			g.AddRoot(Root{Func: i, Test: f.Test})
		}
	}
	g.Solve()
	p.calls = g
	return g
}

// isWild reports whether code of which it is not known when it calls a function reaches f, beside
// the roots.
func (p *Processes) isWild(f *Func) bool {
	return slices.ContainsFunc(p.allCalls().reach[f.ID], func(i int) bool { return i >= len(p.Procs.roots) })
}

// isHandedOut reports whether a site passes a function to code of which it is not known what it
// does with it: through an interface or a function value, or without a summary of the use.
//
//	s.scheduler.Every(time.Minute, func() { s.store.Flush() })
func (p *Processes) isHandedOut(s site) bool {
	if s.call.Kind != fact.Called || s.call.Instr == nil {
		return false
	}
	common := s.call.Instr.Common()
	if common.StaticCallee() == p.Funcs[s.call.Callee].Fn {
		return false
	}
	for _, c := range p.Callees(s.caller.Body, common) {
		if c.Fn == p.Funcs[s.call.Callee].Node {
			return false // called directly
		}
	}
	callee := common.StaticCallee()
	if callee == nil || callee.Pkg != nil && callee.Pkg.Pkg == p.Pkg {
		return callee == nil
	}
	obj := ssautil.Object(callee)
	if obj == nil || stdlib.OfFunc(obj).Runs != stdlib.Nothing {
		return false
	}
	sum := p.Foreign.Function(obj)
	return sum == nil || len(sum.Calls) == 0
}

// function adds the calls of f that leave the package.
func (o *outside) function(f *Func) {
	calls := make(map[ssa.CallInstruction]string)
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(ssa.CallInstruction); ok {
				if to := o.leaves(f, c.Common()); to != "" {
					calls[c] = to
				}
			}
		}
	}
	if len(calls) == 0 {
		return
	}
	held, fresh := o.p.heldAt(f, calls), o.freshAt(f, calls)
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			c, ok := instr.(ssa.CallInstruction)
			if ok && calls[c] != "" {
				isFresh := fresh[instr] && !o.spawns(ssautil.Object(c.Common().StaticCallee()))
				o.call(f, c, closedworld.Call{To: calls[c], Fresh: isFresh}, held[c])
			}
		}
	}
}

// leaves returns what a call in f calls, if it is an exported function of another package, or an
// exported one of this package and f is a test, or a method of an interface; otherwise "".
func (o *outside) leaves(f *Func, c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return invoked(c)
	}
	fn := c.StaticCallee()
	if fn == nil {
		return ""
	}
	obj := ssautil.Object(fn)
	if obj == nil || obj.Pkg() == nil || !obj.Exported() || o.scope.IsStandard(obj.Pkg()) || obj.Pkg() == o.p.Pkg && !f.Test {
		return ""
	}
	return fact.FuncKey(obj)
}

// freshAt returns those of some calls of f whose receiver f has allocated and not yet published.
func (o *outside) freshAt(f *Func, calls map[ssa.CallInstruction]string) map[ssa.Instruction]bool {
	if f.Flow == nil {
		return nil
	}
	for c := range calls {
		if args := c.Common().Args; !c.Common().IsInvoke() && len(args) > 0 && f.Res.Resolve(args[0]).Path.IsFresh() {
			return o.p.freshCalls(f)
		}
	}
	return nil
}

func (o *outside) spawns(fn *types.Func) bool {
	s := o.p.Foreign.Function(fn)
	return s != nil && s.Spawns
}

// heldAt returns the locks that are held at some calls of f, those of its callers included. A
// deferred call runs at the return, when the locks are others.
func (p *Processes) heldAt(f *Func, calls map[ssa.CallInstruction]string) map[ssa.CallInstruction][]lockset.Guard {
	out := make(map[ssa.CallInstruction][]lockset.Guard)
	entry := func(c ssa.CallInstruction, in func(accesspath.Path) bool) {
		for _, g := range f.Entry {
			if !in(g.Path) {
				out[c] = append(out[c], g)
			}
		}
	}
	if f.Flow == nil || f.Sum != nil && len(f.Sum.Regions)+len(f.Sum.Effects)+len(f.Sum.Acquires) == 0 {
		for c := range calls {
			if _, ok := c.(*ssa.Call); ok {
				entry(c, func(accesspath.Path) bool { return false })
			}
		}
		return out
	}
	f.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
		c, ok := instr.(*ssa.Call)
		if !ok || calls[c] == "" {
			return
		}
		for _, h := range st.Held {
			if f.Flow.Holds(h) {
				out[c] = append(out[c], h.Guard)
			}
		}
		entry(c, f.Flow.InState)
	})
	return out
}

// call adds a call of f, once for each root of f.
func (o *outside) call(f *Func, c ssa.CallInstruction, to closedworld.Call, held []lockset.Guard) {
	var on accesspath.Path
	if c.Common().IsInvoke() {
		on = f.Resolver().Resolve(c.Common().Value).Path
	} else if args := c.Common().Args; len(args) > 0 {
		on = f.Resolver().Resolve(args[0]).Path
	}
	to.Locks = o.p.locksFor(f, on, held)
	if _, ok := c.(*ssa.Go); ok {
		r, own := o.p.started(f, c, on)
		to.From, to.Own, to.Fresh = o.number(r), own, false
		o.add(to)
		return
	}
	reach := o.p.allCalls().reach[f.ID]
	if len(reach) == 0 || len(reach) > limit.Roots {
		to.From = o.number(closedworld.Root{Kind: closedworld.Unknown})
		o.add(to)
		return
	}
	for _, i := range reach {
		to.Own = closedworld.NotOwn
		if i < len(o.p.Procs.roots) {
			to.Own = o.p.onOwn(i, f, on)
		}
		to.From = o.number(o.p.outward(o.p.allCalls().roots[i]))
		o.add(to)
	}
}

func (o *outside) add(c closedworld.Call) {
	if text := fmt.Sprint(c); !o.known[text] {
		o.known[text] = true
		o.unit.Calls = append(o.unit.Calls, c)
	}
}

// number returns the index of a root in the unit.
func (o *outside) number(r closedworld.Root) int {
	r.Package = ""
	i, ok := o.index[r]
	if !ok {
		i = len(o.unit.Roots)
		o.index[r] = i
		o.unit.Roots = append(o.unit.Roots, r)
	}
	return i
}

// outward returns a root in the form for other packages.
func (p *Processes) outward(r Root) closedworld.Root {
	out := closedworld.Root{Kind: closedworld.Unknown, Package: p.Pkg.Path()}
	switch {
	case r.Go && r.at.IsValid():
		at := p.Fset.PositionFor(r.at, false)
		out.Kind, out.Test = closedworld.Go, r.Test
		out.Name = fmt.Sprintf("%s:%d:%d", filepath.Base(at.Filename), at.Line, at.Column)
		if r.Single && r.own == nil {
			out.Times = closedworld.PerProgram
		} else if r.Single {
			out.Times = closedworld.PerObject
		}
	case r.Main && r.Test:
		out.Kind = closedworld.Tests
	case r.Main:
		out.Kind = closedworld.Main
	case r.API:
		if obj := ssautil.Object(p.Funcs[r.Func].Fn); obj != nil && fact.FuncKey(obj) != "" {
			out.Kind, out.Name = closedworld.Entry, fact.FuncKey(obj)
		}
	}
	return out
}

// started returns the root that a go statement in f makes of a function of another package, and
// whether the object at a path belongs to its instance.
func (p *Processes) started(f *Func, c ssa.CallInstruction, on accesspath.Path) (closedworld.Root, closedworld.Own) {
	r := p.outward(Root{Go: true, at: c.Pos(), Test: f.Test})
	if f.Paths().Reaches(c, c) {
		return r, closedworld.NotOwn
	}
	if f.times == perProgram {
		r.Times = closedworld.PerProgram
		return r, closedworld.NotOwn
	}
	own := closedworld.NotOwn
	if on.IsFresh() && on == on.Root() || f.times == perObject {
		own = p.belongs(f, f.own, on)
	}
	if own.Known {
		r.Times = closedworld.PerObject
	}
	return r, own
}

// belongs says whether the object at a path is the instance's of which f has the objects own, or
// a part of it that no other object has. In contrast to isInstances, an object of which it is not
// known where it comes from does not.
func (p *Processes) belongs(f *Func, own owned, path accesspath.Path) closedworld.Own {
	if path.IsFresh() && path == path.Root() {
		return closedworld.Own{Known: true}
	}
	for _, root := range own {
		if o := p.isPart(f, path, root); o.Known {
			return o
		}
	}
	return closedworld.NotOwn
}

// isPart says whether the object at a path is that at another path, or a part of it that no other
// object has.
func (p *Processes) isPart(f *Func, path, of accesspath.Path) closedworld.Own {
	if !path.Within(of) {
		return closedworld.NotOwn
	}
	out := closedworld.Own{Known: true}
	for ; path != of; path = path.Parent() {
		if path == accesspath.Unknown || path.HasAny() {
			return closedworld.NotOwn
		}
		makers, ok := p.exclusives().has(f.Resolver().Locate(path))
		if !ok {
			return closedworld.NotOwn
		}
		out = out.And(closedworld.Own{Known: true, If: makers})
	}
	return out
}

// locksFor returns those of the locks held at a call on the object at a path that are the same for
// all calls on that object: those of the package, and of objects that it is a part of.
func (p *Processes) locksFor(f *Func, on accesspath.Path, held []lockset.Guard) []closedworld.Lock {
	var out []closedworld.Lock
	for _, g := range held {
		if g.Class == "" || g.Path == accesspath.Unknown || g.Mode == lockset.Once || g.IsAtomic() {
			continue
		}
		base := g.Path.Parent()
		if base == accesspath.Unknown {
			base = g.Path
		}
		l := closedworld.Lock{Class: string(g.Class), Shared: g.Mode == lockset.Shared, Global: g.Path.IsGlobal()}
		if !l.Global && on != accesspath.Unknown {
			l.Own = p.isPart(f, on, base)
		}
		if (l.Global || l.Own.Known) && !slices.ContainsFunc(out, l.Equal) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b closedworld.Lock) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return out
}
