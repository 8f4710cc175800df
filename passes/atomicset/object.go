package atomicset

import (
	"fmt"
	"slices"
	"strings"

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
		return b.t.normal(cand.as + p[len(cand.base):])
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
	var n int
	if _, err := fmt.Sscanf(string(r[1:]), "%d", &n); err != nil {
		return accesspath.Unknown
	}
	switch {
	case r[0] == 'p' && n < len(b.in.params):
		return b.in.params[n]
	case r[0] == 'f' && n < len(b.in.frees):
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
			name = around + t.cand.base[len(t.cand.base.Root()):]
		}
		if p.Within(name) {
			p = t.cand.as + p[len(name):]
		}
	} else if t.cand.base.IsGlobal() && t.cand.as == object && p.Within(t.cand.base) {
		p = object + p[len(t.cand.base):]
	}
	p = elements(p)
	if i := t.set.find(p); i >= 0 {
		m := t.set.members[i].path()
		if rest := p[len(m):]; rest != "" {
			return m + "[*]" // somewhere in the content of the member
		}
	}
	return p
}

// elements replaces the keys of a path by *.
func elements(p accesspath.Path) accesspath.Path {
	var b strings.Builder
	depth := 0
	for i := range len(p) {
		switch p[i] {
		case '[':
			if depth++; depth == 1 {
				b.WriteString("[*]")
			}
			continue
		case ']':
			depth--
			continue
		}
		if depth == 0 {
			b.WriteByte(p[i])
		}
	}
	return accesspath.Path(b.String())
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
