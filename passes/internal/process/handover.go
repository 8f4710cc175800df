package process

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A channel hands its objects over if each of them is in it at most once: what is sent is new, or was
// received from the same channel before. The goroutine that has received an object owns it, until it sends
// the object again. The locks that it takes meanwhile are for readers that have the object in another way.
//
//	func (p *Pool) Render(doc []byte) {
//		r := <-p.idle
//		defer func() { p.idle <- r }()
//		if r.process() == nil { r.install(start()) } // each under r.mu, for p.Status
//	}
//
// Two functions that have received their objects from one such channel have two objects, and so have two runs of
// one function.

// HandedOver reports whether f has its object, that of the check, from a channel that hands its objects over,
// and so has the function of writer w, from the same channel.
func (p *Processes) HandedOver(f *Func, check, act *funcsum.Event, w *fact.Writer) bool {
	if w.Fn < 0 {
		return false
	}
	g := p.Funcs[w.Fn]
	e := g.WriteOf(w)
	if e == nil {
		return false
	}
	from := p.handedFrom(f, check.Base, act.Instr)
	return from != "" && from == p.handedFrom(g, e.Base, e.Instr)
}

// HandedOverView is like HandedOver, for the function of a view.
func (p *Processes) HandedOverView(f *Func, first, second *funcsum.Event, v *fact.View) bool {
	if v.Fn < 0 {
		return false
	}
	from := p.handedFrom(f, first.Base, second.Instr)
	if from == "" {
		return false
	}
	g := p.Funcs[v.Fn]
	return !slices.ContainsFunc(v.Vars, func(x fact.Var) bool {
		return !slices.ContainsFunc(g.Events, func(e *funcsum.Event) bool {
			return e.Loc == x.Loc && e.Base == x.Base && p.handedFrom(g, e.Base, e.Instr) == from
		})
	})
}

// handedFrom returns the channel that hands its objects over from which f has received the object at base, "" if there is
// none, or if f has given the object away before an instruction.
func (p *Processes) handedFrom(f *Func, base accesspath.Path, until ssa.Instruction) accesspath.Location {
	root := base.Root()
	v := f.valueOf(root)
	if v == nil || !p.covers(f, role{base: root}, base) || p.givesAway(f, root, until) {
		return ""
	}
	if from := p.originOf(f, v); from != "" && p.handsOver(from) {
		return from
	}
	return ""
}

// originOf returns the location of the channel that a value of f has been received from, or "".
func (p *Processes) originOf(f *Func, v ssa.Value) accesspath.Location {
	if from := (&origins{p: p, seen: make(map[ssa.Value]bool)}).of(f, v); from != anywhere {
		return from
	}
	return ""
}

// valueOf returns the value that is the root of a path.
func (f *Func) valueOf(root accesspath.Path) ssa.Value {
	for i, prm := range f.Fn.Params {
		if root == accesspath.Param(i) {
			return prm
		}
	}
	for i, free := range f.Fn.FreeVars {
		if root == accesspath.Free(i) {
			return free
		}
	}
	return f.Resolver().Definition(root)
}

// givesAway reports whether f sends the object at root, itself or by a function that it calls with the object, or makes a literal
// that has it and is not deferred, before an instruction.
func (p *Processes) givesAway(f *Func, root accesspath.Path, until ssa.Instruction) bool {
	has := func(v ssa.Value) bool { return f.Resolver().Resolve(v).Path.Root() == root }
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			given := false
			switch instr := instr.(type) {
			case *ssa.Send:
				given = has(instr.X)
			case *ssa.Select:
				given = slices.ContainsFunc(instr.States, func(s *ssa.SelectState) bool { return s.Send != nil && has(s.Send) })
			case *ssa.MakeClosure:
				given = slices.ContainsFunc(instr.Bindings, has) && !isDeferred(instr)
			case *ssa.Call:
				given = p.sendsArgument(instr, has)
			}
			if given && f.Paths().Exists(cfgpath.Way{From: instr, To: until, Forward: true}) {
				return true
			}
		}
	}
	return false
}

// sendsArgument reports whether the function of the package that is called sends one of certain arguments.
func (p *Processes) sendsArgument(call *ssa.Call, of func(ssa.Value) bool) bool {
	n := p.Called(call.Call.StaticCallee())
	if n == nil {
		return false
	}
	for i, prm := range n.Fn.Params {
		if i >= len(call.Call.Args) || !of(call.Call.Args[i]) {
			continue
		}
		for _, use := range ssautil.Uses(prm) {
			if send, ok := use.(*ssa.Send); ok && send.X == prm {
				return true
			}
		}
	}
	return false
}

// isDeferred reports whether a literal is only deferred.
func isDeferred(lit *ssa.MakeClosure) bool {
	return !slices.ContainsFunc(ssautil.Uses(lit), func(use ssa.Instruction) bool {
		_, ok := use.(*ssa.Defer)
		return !ok
	})
}

// handsOver reports whether a channel hands its objects over.
func (p *Processes) handsOver(ch accesspath.Location) bool {
	is, known := p.handing[ch]
	if !known {
		is = true
		for _, f := range p.Funcs {
			for sent, at := range sends(f, ch) {
				is = is && (f.Test || p.sentOnce(f, sent, at, ch, fact.MaxDepth))
			}
		}
		if p.handing == nil {
			p.handing = make(map[accesspath.Location]bool)
		}
		p.handing[ch] = is
	}
	return is
}

// sends yields the values that f sends to a channel.
func sends(f *Func, ch accesspath.Location) func(yield func(ssa.Value, ssa.Instruction) bool) {
	return func(yield func(ssa.Value, ssa.Instruction) bool) {
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case *ssa.Send:
					if callgraph.ChanLocation(instr.Chan) == ch && !yield(instr.X, instr) {
						return
					}
				case *ssa.Select:
					for _, s := range instr.States {
						if s.Send != nil && callgraph.ChanLocation(s.Chan) == ch && !yield(s.Send, instr) {
							return
						}
					}
				}
			}
		}
	}
}

// sentOnce reports whether v, which f sends, is new for each time that it is sent, or was received from the same
// channel.
func (p *Processes) sentOnce(f *Func, v ssa.Value, at ssa.Instruction, ch accesspath.Location, depth int) bool {
	if made, ok := ssautil.Whole(v).(ssa.Instruction); ok && p.IsMade(v) {
		return !f.Paths().Exists(cfgpath.Way{From: at, To: at, Avoid: made})
	}
	if p.originOf(f, v) == ch {
		return true
	}
	prm, ok := v.(*ssa.Parameter)
	return ok && depth > 0 && p.everyArgument(f, prm, func(caller *Func, arg ssa.Value, call ssa.Instruction) bool {
		return p.sentOnce(caller, arg, call, ch, depth-1)
	})
}

// everyArgument reports whether all calls of f are known, there is one outside of tests, and a property holds for what each of them
// passes for a parameter.
func (p *Processes) everyArgument(f *Func, prm *ssa.Parameter, holds func(caller *Func, arg ssa.Value, call ssa.Instruction) bool) bool {
	i, found := slices.Index(f.Fn.Params, prm), false
	if p.isOpen[f.ID] || i < 0 {
		return false
	}
	for _, s := range p.sitesOf[f.ID] {
		if s.caller.Test {
			continue
		}
		if s.call.Instr == nil {
			return false
		}
		for _, c := range p.Callees(s.caller.Body, s.call.Instr.Common()) {
			if c.Fn != f.Node {
				continue
			}
			if i >= len(c.Args) || !holds(s.caller, c.Args[i], s.call.Instr) {
				return false
			}
			found = true
		}
	}
	return found
}

// origins finds the channels that values have been received from.
type origins struct {
	p    *Processes
	seen map[ssa.Value]bool
}

// anywhere is the origin of a value that is being looked at, and of nil.
const anywhere accesspath.Location = "*"

// of returns the location of the channel from which a value of f was received, "" if there are none or several.
func (o *origins) of(f *Func, v ssa.Value) accesspath.Location {
	if o.seen[v] {
		return anywhere
	}
	o.seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		if v.IsNil() {
			return anywhere
		}
	case *ssa.UnOp:
		if v.Op == token.ARROW {
			return callgraph.ChanLocation(v.X)
		}
		switch x := v.X.(type) {
		case *ssa.Alloc:
			return o.of(f, x)
		case *ssa.FreeVar:
			return o.of(f, x)
		}
	case *ssa.Extract:
		return o.ofResult(f, v)
	case *ssa.Phi:
		return o.same(f, v.Edges)
	case *ssa.Alloc:
		var stored []ssa.Value
		for _, use := range ssautil.Uses(v) {
			if st, ok := use.(*ssa.Store); ok && st.Addr == v {
				stored = append(stored, st.Val)
			}
		}
		return o.same(f, stored)
	case *ssa.Parameter:
		out := anywhere
		if o.p.everyArgument(f, v, func(caller *Func, arg ssa.Value, _ ssa.Instruction) bool {
			out = join(out, o.of(caller, arg))
			return out != ""
		}) {
			return out
		}
	case *ssa.FreeVar:
		return o.ofCaptured(f, v)
	case *ssa.Call:
		return o.ofCall(v, 0)
	}
	return ""
}

// ofResult returns the origin of one of several results.
func (o *origins) ofResult(f *Func, v *ssa.Extract) accesspath.Location {
	switch t := v.Tuple.(type) {
	case *ssa.UnOp:
		return o.of(f, t)
	case *ssa.Call:
		return o.ofCall(t, v.Index)
	case *ssa.Select:
		i := 2 // the received values follow the index and the flag
		for _, s := range t.States {
			if s.Send != nil {
				continue
			}
			if i == v.Index {
				return callgraph.ChanLocation(s.Chan)
			}
			i++
		}
	}
	return ""
}

// ofCall returns the origin of a result of a function of the package.
func (o *origins) ofCall(c *ssa.Call, i int) accesspath.Location {
	n := o.p.Called(c.Call.StaticCallee())
	if n == nil {
		return ""
	}
	g := o.p.Of(n)
	var results []ssa.Value
	for _, ret := range ssautil.Returns(g.Fn) {
		results = append(results, ssautil.Returned(ret, i))
	}
	return o.same(g, results)
}

// ofCaptured returns the origin of what a literal has captured.
func (o *origins) ofCaptured(f *Func, v *ssa.FreeVar) accesspath.Location {
	bound, parent := depgraph.Binding(v), o.p.ByFn[f.Fn.Parent()]
	if bound == nil || parent == nil {
		return ""
	}
	return o.of(o.p.Of(parent), bound)
}

// same returns the common origin of some values.
func (o *origins) same(f *Func, values []ssa.Value) accesspath.Location {
	out := anywhere
	for _, v := range values {
		out = join(out, o.of(f, v))
	}
	return out
}

// join returns the common origin of two values.
func join(a, b accesspath.Location) accesspath.Location {
	switch {
	case a == anywhere:
		return b
	case b == anywhere || a == b:
		return a
	}
	return ""
}
