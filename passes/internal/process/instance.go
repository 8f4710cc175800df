package process

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A goroutine that runs once per object does not run beside itself on that object. It does on
// what all instances share:
//
//	func (s *Server) accept(c net.Conn) {
//		go s.serve(&session{conn: c}) // once per session, and many for one Server
//	}
//
//	func (x *session) run() { x.server.mu.Lock(); … } // many for one x.server
//
// So a root that is single is single for its operands: the parameters and free variables that
// name the object of an instance. They are followed through the calls of the process: a callee
// has the object of the instance in a parameter if all calls hand it over there. An object that
// is reached through a pointer is the instance's own if nobody else can have the pointer: the
// field is only ever set to an object that is made for it.
//
// So it is for all roots of a function that could not run twice (see endsObject).
//
// Two roots with objects that their starters allocate have different ones. Objects of one function
// may be the same one, or refer to each other.
//
//	func (s *Server) accept(c net.Conn) { x := &session{conn: c}; go x.read(); go x.write() }
//	func (s *Server) dial(c net.Conn)   { x := &session{conn: c, out: true}; go x.read() }

// separates reports whether two activities, run by the roots i and j, are apart: one instance does
// not run both at a time, and two have different objects.
func (p *Processes) separates(i int, one Activity, j int, other Activity) bool {
	a, b := p.Procs.roots[i], p.Procs.roots[j]
	switch {
	case i != j && !a.makesOthersThan(b) && !(a.Func == b.Func && p.Funcs[a.Func].ends), !a.Single:
		return false
	case i == j && a.own == nil:
		return true
	case one.F == other.F && other.Base == accesspath.Unknown:
		other.Base = one.Base
	}
	return p.isInstances(one.F, p.instanceOf(i)[one.F.ID], one.Base) && p.isInstances(other.F, p.instanceOf(j)[other.F.ID], other.Base)
}

// makesOthersThan reports whether the objects of the instances of two roots are made for them, by
// two functions.
func (r Root) makesOthersThan(o Root) bool { return r.made && o.made && r.starter != o.starter }

// isInstances reports whether the object at base belongs to the instance that f runs in, which
// has the objects own. An object of which it is not known where it comes from, such as the result
// of a call, is taken to be the instance's.
func (p *Processes) isInstances(f *Func, own owned, base accesspath.Path) bool {
	for !base.IsLocal() {
		if root := base.Root(); root == base {
			return slices.Contains(own, root)
		}
		if !p.isExclusive(f.Resolver().Locate(base)) {
			return false
		}
		base = base.Parent()
	}
	return true
}

// instanceOf returns, for each function that root i reaches, its parameters and free variables
// that name the object of the instance: the greatest fixpoint over the calls in the process.
func (p *Processes) instanceOf(i int) map[int]owned {
	if in, ok := p.instances[i]; ok {
		return in
	}
	root := p.Procs.roots[i]
	in := map[int]owned{root.Func: root.own}
	p.handOn(in, p.reachedFrom(root.Func))
	if p.instances == nil {
		p.instances = make(map[int]map[int]owned)
	}
	p.instances[i] = in
	return in
}

// handOn adds to in, for each of some functions, its parameters and free variables that name the object, by the greatest fixpoint over their calls.
func (p *Processes) handOn(in map[int]owned, fns []int) {
	for changed := true; changed; {
		changed = false
		for _, f := range fns {
			own, known := p.handedIn(p.Funcs[f], in)
			old, before := in[f]
			if before {
				own = intersect(old, own)
			}
			if known && (!before || len(own) < len(old)) {
				in[f], changed = own, true
			}
		}
	}
}

// reachedFrom returns f and the functions that it calls, in the order in which they are found.
func (p *Processes) reachedFrom(f int) []int {
	out := []int{f}
	seen := map[int]bool{f: true}
	for i := 0; i < len(out); i++ {
		for _, callee := range p.Procs.callees[out[i]] {
			if !seen[callee] {
				seen[callee] = true
				out = append(out, callee)
			}
		}
	}
	return out
}

// handedIn returns the parameters and free variables of callee that name the object of the
// instance in all calls by functions of which that is known, and false if there are none.
func (p *Processes) handedIn(callee *Func, in map[int]owned) (out owned, known bool) {
	for _, s := range p.sitesOf[callee.ID] {
		if _, ok := in[s.caller.ID]; !ok || s.call.Kind != fact.Called || p.beforePublication(s) {
			continue
		}
		at := owned{}
		for _, o := range p.handed(s) {
			// What a literal has captured are values of the function that it is made in, which
			// may be another than the caller.
			from := p.maker(o.value, s.caller)
			if p.isInstances(from, in[from.ID], from.Resolver().Resolve(o.value).Path) {
				at = append(at, o.as)
			}
		}
		slices.Sort(at)
		at = slices.Compact(at)
		if !known {
			out, known = at, true
			continue
		}
		out = intersect(out, at)
	}
	return out, known
}

// maker returns the function that computes v, or f if that is not known.
func (p *Processes) maker(v ssa.Value, f *Func) *Func {
	if fn := v.Parent(); fn != nil && fn != f.Fn {
		if n := p.ByFn[fn]; n != nil {
			return p.Of(n)
		}
	}
	return f
}

func intersect(a, b owned) owned {
	return slices.DeleteFunc(slices.Clone(a), func(x accesspath.Path) bool { return !slices.Contains(b, x) })
}

// An operand is a value that a call hands to its callee, and the name that it has there.
type operand struct {
	value ssa.Value
	as    accesspath.Path
}

// handed returns the operands of a call, or of the start of a goroutine. A function that is an
// argument of the call is handed its bindings, and so is one that is called in a way that is not
// known.
func (p *Processes) handed(s site) []operand {
	callee := p.Funcs[s.call.Callee]
	if s.call.Instr == nil {
		return p.captured(callee)
	}
	if mc := p.closureArgument(s); mc != nil {
		return p.bindings(mc, mc.Bindings, callee)
	}
	for _, c := range p.Callees(s.caller.Body, s.call.Instr.Common()) {
		if c.Fn != callee.Node {
			continue
		}
		var out []operand
		if c.Closure != nil {
			out = p.bindings(c.Closure, c.Bindings(), callee)
		}
		for i, a := range c.Args {
			out = append(out, operand{a, accesspath.Param(i)})
		}
		return out
	}
	return p.captured(callee) // a variable with a literal, which the caller has captured
}

// captured returns what a literal has captured, as values of the function that it is made in.
func (p *Processes) captured(literal *Func) []operand {
	mc := ssautil.ClosureOf(literal.Fn)
	if mc == nil {
		return nil
	}
	return p.bindings(mc, mc.Bindings, literal)
}

// bindings returns what a closure, with the bound values, hands to its function, or a method value
// to its method.
func (p *Processes) bindings(mc *ssa.MakeClosure, bound []ssa.Value, callee *Func) []operand {
	if mc.Fn != callee.Fn {
		if len(bound) == 1 {
			return []operand{{bound[0], accesspath.Param(0)}}
		}
		return nil
	}
	var out []operand
	for i, b := range bound {
		out = append(out, operand{b, accesspath.Free(i)})
	}
	return out
}

// isExclusive reports whether what the location refers to belongs to the object that it is in:
// it is no pointer, or every pointer that is stored there is that of an object made for it.
func (p *Processes) isExclusive(l accesspath.Location) bool {
	if p.shared == nil {
		p.shared = make(map[accesspath.Location]bool)
		for _, f := range p.Funcs {
			if !f.Test {
				p.findShared(f)
			}
		}
	}
	return l != "" && l.Pkg() == p.Pkg.Path() && !p.shared[l]
}

// findShared notes the locations in which f stores a reference that others may have.
func (p *Processes) findShared(f *Func) {
	note := func(addr accesspath.Location, v ssa.Value) {
		if addr != "" && ssautil.IsReference(v.Type()) && !p.madeFor(f, v) {
			p.shared[addr] = true
		}
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				if ssautil.IsReference(instr.Val.Type()) {
					note(f.Resolver().Resolve(instr.Addr).Loc, instr.Val)
				}
			case *ssa.MapUpdate:
				note(f.Resolver().Resolve(instr.Map).Loc, instr.Value)
			}
		}
	}
}

// madeFor reports whether v is nil, or a new object that is stored in one place.
func (p *Processes) madeFor(f *Func, v ssa.Value) bool {
	if c, ok := v.(*ssa.Const); ok {
		return c.IsNil()
	}
	path := f.Resolver().Resolve(v).Path
	if !path.IsFresh() || path != path.Root() || v.Referrers() == nil {
		return false
	}
	stored := 0
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Val == v {
				stored++
			}
		case *ssa.MapUpdate:
			if use.Value == v {
				stored++
			}
		case *ssa.Send:
			stored++
		}
	}
	return stored <= 1
}
