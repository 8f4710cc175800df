package lifetime

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Ends returns the ends of the objects that are found in a variable, in the order of the
// functions.
func (p *Finder) Ends(variable accesspath.Location) []End {
	if p.ends == nil {
		p.ends = make(map[accesspath.Location][]End)
		for f := range p.Sharing() {
			for _, out := range f.Events {
				if p.takesOut(f, out) {
					p.endsBy(f, out)
				}
			}
		}
	}
	return p.ends[variable]
}

// endsBy adds the ends of the objects that the write out takes out: those that f has found in the
// variable, and those by which it selects what to delete.
func (p *Finder) endsBy(f *process.Func, out *funcsum.Event) {
	for _, r := range f.Events {
		if !r.Reads() {
			continue
		}
		if o := p.Found(f, r); len(o.hops) > 0 && (finds(r, out) || p.isKeyOf(f, o, out)) {
			p.endsOf(f, out, o)
		}
	}
	for _, prm := range f.Fn.Params {
		if named := ssautil.Named(prm.Type()); named != nil && named.Obj().Name() == out.Loc.Type() {
			continue // the object with the variable
		}
		if o := p.reach(f, prm); p.isKeyOf(f, o, out) {
			p.endsOf(f, out, o)
		}
	}
}

// endsOf adds the ends of the object o that out takes out.
func (p *Finder) endsOf(f *process.Func, out *funcsum.Event, o *Object) {
	for _, u := range p.Uses(f) {
		if !u.Sends && o.Has(u.Object) && u.Of.Type() != out.Loc.Type() {
			p.add(f, out, End{Kind: Closed, Of: u.Of, At: u.Pos, Locks: u.Locks, Claims: u.Claims, Waits: p.waits(f, out.Instr, u.Instr)})
		}
	}
	p.closesReplaced(f, out, o)
	for i, e := range f.Events {
		if e.Loc.Type() != out.Loc.Type() && p.within(f, o, e) {
			p.endBy(f, out, i)
		}
	}
}

// endBy adds the end of an object that out takes out, by the access with index i to the object.
func (p *Finder) endBy(f *process.Func, out *funcsum.Event, i int) {
	e := f.Events[i]
	end := End{Of: e.Loc, At: e.Pos, Locks: f.Locks(e)}
	switch {
	case e.Writes() && !e.Reads() && (e.Const == "nil" || e.Op&fact.Delete != 0 && e.Key != ""):
		end.Kind = Cleared
	case !e.Reads() || e.Writes() || e.Op&fact.Presence != 0:
		return
	case slices.Contains(out.Control, i):
		end.Kind = Judged
	case isContent(e) && e.Instr != out.Instr && f.Order().Flows(out.Instr, e.Instr) && !f.Order().Flows(e.Instr, out.Instr):
		end.Kind = Drained
	default:
		return
	}
	if f.Order().Flows(out.Instr, e.Instr) {
		end.Waits = p.waits(f, out.Instr, e.Instr)
	}
	p.add(f, out, end)
}

// isContent reports whether a read is of the elements of a container, or of the container. A
// number mostly says how much there was, for a statistic.
func isContent(e *funcsum.Event) bool {
	return e.Key != "" || slices.ContainsFunc(e.Values, func(v ssa.Value) bool { return depgraph.IsContainer(v.Type()) })
}

// finds reports whether r reads the variable that the write out takes something out of.
func finds(r, out *funcsum.Event) bool {
	return r.Loc == out.Loc && (r.Base == out.Base || r.Base.Root() != out.Base.Root())
}

// isKeyOf reports whether the key of the element that out deletes is the object o or a part of
// it, which f has found elsewhere, or was given:
//
//	o := t.byName[name]
//	delete(t.byID, o.id)
//
//	delete(c.server.conns, c.id)
//	close(c.done)
func (p *Finder) isKeyOf(f *process.Func, o *Object, out *funcsum.Event) bool {
	if out.Op&fact.Delete == 0 || out.Key == "" {
		return false
	}
	for v := range o.hops {
		if path := f.Res.Resolve(v).Path; path != accesspath.Unknown && out.Key.Path().Within(path) {
			return true
		}
	}
	return false
}

func (p *Finder) add(f *process.Func, out *funcsum.Event, e End) {
	e.Writer, e.Func = f.Writer(out), f
	e.Guards = f.Locks(out)
	for _, have := range p.ends[out.Loc] {
		if have.Kind == e.Kind && have.Of == e.Of && have.Func == f {
			return
		}
	}
	p.ends[out.Loc] = append(p.ends[out.Loc], e)
}

// within reports whether e accesses the object o.
func (p *Finder) within(f *process.Func, o *Object, e *funcsum.Event) bool {
	return slices.ContainsFunc(p.Through(f, e), o.Has)
}

// Through returns the values through which e accesses memory: the address, or the arguments of
// the call that lead there.
func (p *Finder) Through(f *process.Func, e *funcsum.Event) []ssa.Value {
	switch instr := e.Instr.(type) {
	case *ssa.UnOp:
		return []ssa.Value{instr.X}
	case *ssa.Store:
		return []ssa.Value{instr.Addr}
	case *ssa.MapUpdate:
		return []ssa.Value{instr.Map}
	case *ssa.Lookup:
		return []ssa.Value{instr.X}
	case *ssa.Next:
		return []ssa.Value{instr.Iter}
	case ssa.CallInstruction:
		var out []ssa.Value
		args := instr.Common().Args
		if mc, ok := instr.Common().Value.(*ssa.MakeClosure); ok {
			args = append(slices.Clone(args), mc.Bindings...)
		}
		for _, a := range args {
			path := f.Res.Resolve(a).Path
			if e.Base.Within(path) || e.Path.Within(path) || e.Base == accesspath.Unknown && e.Callee == nil {
				out = append(out, a)
			}
		}
		return out
	}
	return nil
}

// waits reports whether f waits for something on the way from one instruction to another: for
// a group of goroutines, or for a channel.
func (p *Finder) waits(f *process.Func, from, to ssa.Instruction) bool {
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if isWait(instr) && forward(f, from, instr) && forward(f, instr, to) {
				return true
			}
		}
	}
	return false
}

// forward reports whether control can flow from one instruction to another without a back edge.
func forward(f *process.Func, from, to ssa.Instruction) bool {
	return f.Order().Exists(funcsum.Way{From: from, To: to, Forward: true})
}
