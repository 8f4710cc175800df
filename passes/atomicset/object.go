package atomicset

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// The paths of a function are translated to paths of the object: o for the object itself,
// w for the root from which it was reached, package variables unchanged. All other paths
// are unknown.

// sym returns a path of the function as a path of the object, or Unknown.
func (b *builder) sym(p accesspath.Path) accesspath.Path {
	if p == accesspath.Unknown {
		return accesspath.Unknown
	}
	cand := b.t.cand
	if b.in.f == cand.fn && (b.in.entry || cand.base.IsFresh()) && p.Within(cand.base) {
		return b.t.normal(p.Moved(cand.base, cand.as))
	}
	return b.t.normal(p.Substitute(b.root))
}

// root translates the root of a path.
func (b *builder) root(r accesspath.Path) accesspath.Path {
	if r.IsGlobal() {
		return r
	}
	if b.in.entry && b.in.f == b.t.cand.fn && r == b.t.cand.base.Root() {
		return around
	}
	if n := r.ParamIndex(); n >= 0 && n < len(b.in.params) {
		return b.in.params[n]
	}
	if n := r.FreeIndex(); n >= 0 && n < len(b.in.frees) {
		return b.in.frees[n]
	}
	if phi, ok := b.in.f.Res.Definition(r).(*ssa.Phi); ok {
		return b.vars[phi]
	}
	return accesspath.Unknown
}

// normal returns the normal form of a path: elements are not distinguished, and the
// object is o even if the path reaches it from its root.
func (t *translator) normal(p accesspath.Path) accesspath.Path {
	if p == accesspath.Unknown {
		return p
	}
	if t.cand.base.Root() != t.cand.base && !t.cand.base.IsFresh() {
		name := t.cand.base
		if !name.IsGlobal() {
			name = t.cand.base.Moved(t.cand.base.Root(), around)
		}
		if p.Within(name) {
			p = p.Moved(name, t.cand.as)
		}
	} else if t.cand.base.IsGlobal() && t.cand.as == object && p.Within(t.cand.base) {
		p = p.Moved(t.cand.base, object)
	}
	p = p.Generalized()
	if i := t.set.find(p); i >= 0 {
		m := t.set.members[i].path()
		if p != m {
			return m.Index(accesspath.AnyKey) // somewhere in the content of the member
		}
	}
	return p
}

// joined returns the paths of the phis of succ, and of those still live there, if control
// comes from block.
func (b *builder) joined(block, succ *ssa.BasicBlock) map[*ssa.Phi]accesspath.Path {
	out := make(map[*ssa.Phi]accesspath.Path)
	for phi, p := range b.vars {
		if phi.Block() != succ && live(phi, succ) {
			out[phi] = p
		}
	}
	pred := slices.Index(succ.Preds, block)
	for _, instr := range succ.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		if p := b.sym(b.in.f.Res.Resolve(phi.Edges[pred]).Path); p != accesspath.Unknown && (p.Within(object) || p.Within(around)) {
			out[phi] = p
		}
	}
	return out
}

// live reports whether phi may still be used at the block: its definition dominates the
// block.
func live(phi *ssa.Phi, at *ssa.BasicBlock) bool { return phi.Block().Dominates(at) }
