package process

import (
	"go/types"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"golang.org/x/tools/go/ssa"
)

// A site is a call, or another use, of a function of the package.
type site struct {
	caller *Func
	call   callgraph.Call
	held   []lockset.Guard // in the terms of the caller
	// fresh says that the receiver is an object that has not been published.
	fresh bool
}

// entries finds the locks that all callers of a function hold at the call: the greatest
// fixpoint over the call sites in the package. A function that may be called from outside
// the package, or that runs as a process of its own, has none.
func (p *Processes) entries() {
	sites := p.sites()
	open := p.open(sites)
	known := make([]bool, len(p.Funcs))
	for i, f := range p.Funcs {
		if open[i] {
			known[i] = true
			f.Entry = p.namedLocked(f)
		}
	}
	for range limit.EntryRounds {
		changed := false
		for i, f := range p.Funcs {
			if open[i] {
				continue
			}
			entry, ok := p.meet(f, sites[i], known)
			if ok && (!known[i] || !slices.Equal(entry, f.Entry)) {
				known[i], f.Entry = true, entry
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	for i, f := range p.Funcs {
		if !open[i] {
			p.promised(f, sites[i])
		}
	}
	for i, f := range p.Funcs {
		if !open[i] && len(sites[i]) > 0 {
			f.constructs = !slices.ContainsFunc(sites[i], func(s site) bool { return !s.fresh && !s.caller.constructs })
		}
		// The body of a sync.Once runs before publication, too.
		f.constructs = f.constructs || slices.ContainsFunc(f.Entry, func(g lockset.Guard) bool { return g.Mode == lockset.Once })
	}
	for _, f := range p.Funcs {
		f.Body = p.Confirmed(f.Body, f.Entry)
	}
	p.findContexts(sites)
	p.processes(sites, open)
}

// promised adds to the entry locks of a function whose name ends in Locked the locks of
// its receiver that at least one caller holds. The callers that do not hold them are
// taken to call it on an object that is confined to them.
func (p *Processes) promised(f *Func, sites []site) {
	for _, g := range p.namedLocked(f) {
		same := func(h lockset.Guard) bool { return h.Class == g.Class && h.Path == g.Path }
		if !slices.ContainsFunc(f.Entry, same) && slices.ContainsFunc(sites, func(s site) bool {
			return s.call.Instr != nil && slices.ContainsFunc(p.siteGuards(f, s), same)
		}) {
			f.Entry = append(f.Entry, g)
		}
	}
}

// sites collects the call sites of every function, with the locks held there.
func (p *Processes) sites() [][]site {
	out := make([][]site, len(p.Funcs))
	for _, f := range p.Funcs {
		held := make(map[ssa.Instruction][]lockset.Guard)
		var fresh map[ssa.Instruction]bool
		if f.Flow != nil {
			fresh = p.freshCalls(f)
			f.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
				if _, ok := instr.(ssa.CallInstruction); !ok {
					return
				}
				for _, h := range st.Held {
					if f.Flow.Holds(h) {
						held[instr] = append(held[instr], h.Guard)
					}
				}
			})
		}
		for _, c := range f.Calls {
			s := site{caller: f, call: c}
			if c.Instr != nil {
				s.held = held[c.Instr]
				for _, cl := range f.Claimed(c.Instr) {
					s.held = append(s.held, cl.Guard)
				}
				s.fresh = fresh[c.Instr] || f.Flow == nil && len(c.Instr.Common().Args) > 0 && ssautil.IsMadeHere(c.Instr.Common().Args[0])
				s.call.Kind, s.held = p.argumentUse(f, c, s.held)
			}
			out[c.Callee] = append(out[c.Callee], s)
		}
	}
	return out
}

// freshCalls finds the calls in f whose receiver f has allocated and not yet published.
func (p *Processes) freshCalls(f *Func) map[ssa.Instruction]bool {
	published := p.Publications(f.Body)
	out := make(map[ssa.Instruction]bool)
	f.Flow.Walk(func(instr ssa.Instruction, ord int, _ *lockset.State) {
		c, ok := instr.(ssa.CallInstruction)
		if !ok || c.Common().IsInvoke() || len(c.Common().Args) == 0 || !isObject(c.Common().Args[0].Type()) {
			return
		}
		root := f.Res.Resolve(c.Common().Args[0]).Path.Root()
		if at, given := published[root]; root.IsFresh() && (!given || ord <= at) {
			out[instr] = true
		}
	})
	return out
}

// isObject reports whether values of type t refer to an object with methods of its own; a
// function literal does not.
func isObject(t types.Type) bool {
	_, isFunc := t.Underlying().(*types.Signature)
	return ssautil.IsReference(t) && !isFunc
}

// argumentUse refines the use of a function that is an argument of a call by the summary
// of the callee, which may call the argument while it holds locks of its own.
func (p *Processes) argumentUse(f *Func, c callgraph.Call, held []lockset.Guard) (fact.CallKind, []lockset.Guard) {
	if f.Flow == nil || c.Kind != fact.Called {
		return c.Kind, held
	}
	common := c.Instr.Common()
	target := p.Funcs[c.Callee]
	for _, cal := range p.Callees(f.Body, common) {
		if cal.Fn == target.Node {
			return c.Kind, held // called directly, not passed as an argument
		}
		sum := p.SummaryOf(cal)
		if sum == nil {
			switch stdlib.OfFunc(cal.Obj).Runs {
			case stdlib.Once:
				ref := f.Res.Resolve(cal.Args[0])
				return fact.Called, append(slices.Clone(held), lockset.Guard{Path: ref.Path, Class: ref.Loc, Mode: lockset.Once})
			case stdlib.Memoizes:
				return fact.Called, append(slices.Clone(held), lockset.Guard{Class: "sync#Once", Mode: lockset.Once})
			}
			continue
		}
		for _, pc := range sum.Calls {
			lits := p.Argument(f.Node, cal, pc.Param)
			if len(lits) != 1 || lits[0].Fn != target.Node {
				continue
			}
			if pc.Kind != fact.Called {
				return pc.Kind, nil
			}
			out := slices.Clone(held)
			for i, r := range sum.Regions {
				if pc.Regions&(1<<i) != 0 {
					g := r.Guard
					g.Path = p.Translate(f.Body, cal, g.Path)
					out = append(out, g)
				}
			}
			return fact.Called, out
		}
	}
	return c.Kind, held
}

// open finds the functions that may be called from outside the package, or from an
// unknown place.
func (p *Processes) open(sites [][]site) []bool {
	open := make([]bool, len(p.Funcs))
	for i, f := range p.Funcs {
		open[i] = f.Named || p.Callable(f.Node) || !slices.ContainsFunc(sites[i], func(s site) bool {
			return s.call.Instr != nil || s.call.Kind == fact.Called && s.caller.Flow != nil && f.Fn.Parent() == nil
		})
		for _, s := range sites[i] {
			if s.call.Kind != fact.Called {
				open[i] = true
			}
		}
	}
	return open
}

// namedLocked returns the locks of the receiver if the function's name ends in Locked and
// the function is never used as a value: by convention its callers hold them.
func (p *Processes) namedLocked(f *Func) []lockset.Guard {
	recv := f.Fn.Signature.Recv()
	if recv == nil || !strings.HasSuffix(f.Fn.Name(), "Locked") || f.Named {
		return nil
	}
	st, ok := ssautil.Deref(recv.Type()).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var out []lockset.Guard
	for i := range st.NumFields() {
		if callgraph.IsMutex(st.Field(i).Type()) {
			ref := accesspath.FieldRef(accesspath.Ref{Path: accesspath.Param(0)}, ssautil.Deref(recv.Type()), st.Field(i).Name())
			out = append(out, lockset.Guard{Path: ref.Path, Class: ref.Loc, Mode: lockset.Exclusive})
		}
	}
	return out
}

// meet intersects the locks held at the sites of f, in the terms of f.
func (p *Processes) meet(f *Func, sites []site, known []bool) ([]lockset.Guard, bool) {
	var entry []lockset.Guard
	any := false
	// A test may call a function without the lock it needs, while the object is confined
	// to the test. If only tests call it, their sites count.
	tested := !f.Test && slices.ContainsFunc(sites, func(s site) bool { return !s.caller.Test })
	for _, s := range sites {
		if s.fresh || s.call.Instr == nil || tested && s.caller.Test {
			continue // no interference before publication; or not a call
		}
		if !known[s.caller.ID] {
			continue
		}
		held := p.siteGuards(f, s)
		if !any {
			entry, any = held, true
			continue
		}
		entry = slices.DeleteFunc(entry, func(g lockset.Guard) bool {
			return !slices.ContainsFunc(held, func(h lockset.Guard) bool { return h.Class == g.Class && h.Path == g.Path })
		})
	}
	return entry, any
}

// siteGuards returns the guards held at a site in the terms of the callee f. A guard
// whose path has no counterpart in f keeps its class only.
func (p *Processes) siteGuards(f *Func, s site) []lockset.Guard {
	if _, ok := s.call.Instr.(*ssa.Go); ok {
		return nil
	}
	var out []lockset.Guard
	add := func(g lockset.Guard) {
		g.Path = p.inCallee(f, s, g.Path)
		if g.Path == accesspath.Unknown && g.Class == "" {
			return
		}
		if !slices.ContainsFunc(out, func(h lockset.Guard) bool { return h.Path == g.Path && h.Class == g.Class }) {
			out = append(out, g)
		}
	}
	for _, g := range s.held {
		add(g)
	}
	for _, g := range s.caller.Entry {
		// The lock state has a lock that the caller itself releases.
		if s.caller.Flow == nil || !s.caller.Flow.InState(g.Path) {
			add(g)
		}
	}
	return out
}

// inCallee translates a path of the caller to the terms of the callee.
func (p *Processes) inCallee(f *Func, s site, path accesspath.Path) accesspath.Path {
	if path == accesspath.Unknown || path.IsGlobal() {
		return path
	}
	if s.caller.Res == nil {
		return accesspath.Unknown
	}
	for _, cal := range p.Callees(s.caller.Body, s.call.Instr.Common()) {
		if cal.Fn != f.Node {
			continue
		}
		best := accesspath.Unknown
		for i, a := range cal.Args {
			if q := s.caller.Res.Resolve(a).Path; path.Within(q) && best == accesspath.Unknown {
				best = accesspath.Param(i) + path[len(q):]
			}
		}
		if best != accesspath.Unknown {
			return best
		}
		if cal.Closure != nil {
			return p.inLiteral(s.caller, cal.Closure, path)
		}
	}
	// The callee may be a literal passed as an argument.
	for _, a := range s.call.Instr.Common().Args {
		if fn, mc, _ := p.FuncValue(s.caller.Node, a); fn == f.Fn && mc != nil {
			return p.inLiteral(s.caller, mc, path)
		}
	}
	return accesspath.Unknown
}

func (p *Processes) inLiteral(caller *Func, mc *ssa.MakeClosure, path accesspath.Path) accesspath.Path {
	for i, b := range mc.Bindings {
		if q := caller.Res.Resolve(b).Path; path.Within(q) {
			return accesspath.Free(i) + path[len(q):]
		}
	}
	return accesspath.Unknown
}

// processes builds the process graph.
func (p *Processes) processes(sites [][]site, open []bool) {
	g := New(len(p.Funcs))
	isMain := p.Pkg.Name() == "main"
	for i, f := range p.Funcs {
		name := f.Fn.Name()
		switch {
		case f.Fn.Parent() == nil && name == "main" && isMain, f.Test && callgraph.IsTestName(name), strings.HasPrefix(name, "init#") || name == "init":
			g.AddRoot(Root{Func: i, Single: true, Main: true})
		case p.Callable(f.Node) && !f.Test:
			g.AddRoot(Root{Func: i, API: true, Single: serves(f.Fn)})
		case f.Named:
			g.AddRoot(Root{Func: i, Main: f.Test})
		case open[i] && len(sites[i]) == 0:
			g.AddRoot(Root{Func: i})
		}
		for _, s := range sites[i] {
			switch s.call.Kind {
			case fact.Called:
				g.AddCall(s.caller.ID, i)
			case fact.Spawned, fact.Escapes:
				_, isGo := s.call.Instr.(*ssa.Go)
				g.AddRoot(Root{
					Func:   i,
					Single: s.call.Kind == fact.Spawned && p.spawnedOnce(s),
					// A function that a test passes to another one, such as
					// (*testing.T).Run, mostly runs while the test waits.
					Main: !isGo && s.caller.Test,
				})
			}
		}
	}
	g.Solve()
	p.Procs = g
}

// startsOwn reports whether a go statement calls a method of an object that the function
// has allocated, published or not.
func startsOwn(s site) bool {
	g, ok := s.call.Instr.(*ssa.Go)
	if !ok || s.caller.Flow == nil || g.Call.IsInvoke() || len(g.Call.Args) == 0 || !isObject(g.Call.Args[0].Type()) {
		return false
	}
	path := s.caller.Res.Resolve(g.Call.Args[0]).Path
	return path.IsFresh() && path == path.Root()
}

// spawnedOnce reports whether a go statement starts one goroutine per object: the
// statement is in no loop, and the object has just been allocated, or the goroutine is
// its service.
func (p *Processes) spawnedOnce(s site) bool {
	if s.call.Instr == nil || s.caller.Paths().Reaches(s.call.Instr, s.call.Instr) {
		return false
	}
	once := slices.ContainsFunc(s.caller.Entry, func(g lockset.Guard) bool { return g.Mode == lockset.Once })
	if s.fresh || once || p.isService(s) || startsOwn(s) {
		return true
	}
	mc, ok := s.call.Instr.Common().Value.(*ssa.MakeClosure)
	if !ok {
		mc = p.closureArgument(s)
	}
	if mc != nil && s.caller.Res != nil {
		for _, b := range mc.Bindings {
			if s.caller.Res.Resolve(b).Path.IsFresh() {
				return true
			}
		}
	}
	name := s.caller.Fn.Name()
	return s.caller.Fn.Parent() == nil && (name == "main" || strings.HasPrefix(name, "init"))
}
