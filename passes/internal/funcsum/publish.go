package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Publications returns, by root path, the ordinal of the instruction that publishes each
// new object of f: from there on other goroutines may have a reference to it.
func (p *Summaries) Publications(f *Body) map[accesspath.Path]int {
	if f.published == nil {
		f.published = make(map[accesspath.Path]int)
		w := &publisher{p: p, f: f, parts: make(map[accesspath.Path][]ssa.Value)}
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				w.visit(instr)
				w.ord++
			}
		}
	}
	return f.published
}

// A publisher finds the publications in a function, in the order of its instructions.
type publisher struct {
	p   *Summaries
	f   *Body
	ord int // of the instruction that is visited
	// parts are the references that have been stored in each new object so far, which are
	// published with it.
	parts map[accesspath.Path][]ssa.Value
}

func (w *publisher) visit(instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.Store:
		// Most stored values are no references: they are skipped before paths are resolved.
		if ssautil.IsReference(instr.Val.Type()) && !depgraph.IsVariable(instr.Addr) {
			w.store(instr.Addr, instr.Val)
		}
	case *ssa.MapUpdate:
		w.store(instr.Map, instr.Value)
		w.store(instr.Map, instr.Key)
	case *ssa.Send:
		w.publish(instr.X)
	case *ssa.Go:
		for _, a := range instr.Call.Args {
			w.publish(a)
		}
		if mc, ok := instr.Call.Value.(*ssa.MakeClosure); ok {
			w.bindings(mc)
		}
	case *ssa.Call:
		w.call(&instr.Call)
	case *ssa.MakeClosure:
		if w.p.closureEscapes(instr) {
			w.bindings(instr)
		}
	}
}

func (w *publisher) bindings(mc *ssa.MakeClosure) {
	for _, b := range mc.Bindings {
		w.publish(b)
	}
}

// call publishes the arguments that the callees store.
func (w *publisher) call(c *ssa.CallCommon) {
	for _, a := range c.Args {
		if root := w.newObject(a); root != "" && w.isOpen(root) {
			w.p.eachRetention(w.f.Node, c, a, func(to ssa.Value) {
				if to == nil {
					w.publish(a)
				} else {
					w.store(to, a)
				}
			})
		}
	}
}

// newObject returns the root path of the new object that v refers to, or "".
func (w *publisher) newObject(v ssa.Value) accesspath.Path {
	if !ssautil.IsReference(v.Type()) {
		return ""
	}
	if path := w.f.Res.Resolve(v).Path; path.IsFresh() {
		return path.Root()
	}
	return ""
}

// isOpen reports whether a new object has not been published yet.
func (w *publisher) isOpen(root accesspath.Path) bool {
	_, given := w.f.published[root]
	return !given
}

// store notes that a reference is stored in the memory at addr.
func (w *publisher) store(addr, v ssa.Value) {
	if !ssautil.IsReference(v.Type()) {
		return
	}
	if at := w.f.Res.Resolve(addr).Path; at.IsFresh() && w.isOpen(at.Root()) {
		w.parts[at.Root()] = append(w.parts[at.Root()], v)
		return
	}
	w.publish(v)
}

// publish notes that other goroutines may have a reference from here on, and those that are
// reached through it.
func (w *publisher) publish(v ssa.Value) {
	for _, list := range appended(v) {
		root := w.newObject(list)
		if root == "" || !w.isOpen(root) {
			continue
		}
		w.f.published[root] = w.ord
		for _, part := range w.parts[root] {
			w.publish(part)
		}
	}
}

// appended returns v and, if that is the result of append, the lists that it may be made of.
func appended(v ssa.Value) []ssa.Value {
	out := []ssa.Value{v}
	for i := 0; i < len(out); i++ {
		var from []ssa.Value
		switch x := out[i].(type) {
		case *ssa.Call:
			if ssautil.IsAppend(x) {
				from = x.Call.Args
			}
		case *ssa.Phi:
			from = x.Edges
		}
		for _, list := range from {
			if !slices.Contains(out, list) {
				out = append(out, list)
			}
		}
	}
	return out
}

// freshBinding reports whether free variable i of a literal is bound to an object that is
// not yet published, and all calls of the literal precede the publication.
func (p *Summaries) freshBinding(f *Body, i int) bool {
	g := p.ByFn[f.Fn.Parent()]
	mc := ssautil.ClosureOf(f.Fn)
	if g == nil || mc == nil || p.closureEscapes(mc) || i >= len(mc.Bindings) {
		return false
	}
	parent := p.of(g)
	root := p.resolver(parent).Resolve(mc.Bindings[i]).Path.Root()
	if j, ok := index(root, 'f'); ok {
		return p.freshBinding(parent, j)
	}
	at, given := p.Publications(parent)[root]
	return root.IsFresh() && (!given || ssautil.Ordinal(mc) < at)
}
