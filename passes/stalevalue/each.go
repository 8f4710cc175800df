package stalevalue

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// A check of all elements of a list, and a change of each of them in a later loop: each element may be another by then. The two loops name
// their elements by an index of their own, which makes two names of one element.

// isEach reports whether the read is of each element of a list, by which a branch in the loop decides, and e accesses each of them in a
// later loop: all are looked at before the first is changed.
//
//	for _, l := range lines { if l.item.stock() < l.n { return errShort } }
//	for _, l := range lines { l.item.take(l.n) }
func (p *pair) isEach(e *summary.Event) bool {
	r := p.read
	if e.Loc != r.Loc {
		return false
	}
	one := p.d.nameOf(r)
	from := p.d.rangeIndex(one)
	if from == nil {
		return false
	}
	two := p.d.nameOf(e)
	to := p.d.rangeIndex(two)
	if to == nil || from == to || p.d.f.Order().Flows(e.Instr, from) || !exit(from).Dominates(to.Block()) || isPart(to) {
		return false
	}
	decides := false
	for br := range p.d.f.BranchesOn(r.Values) {
		decides = decides || !exit(from).Dominates(br.Block())
	}
	return decides && two.rename(func(root accesspath.Path) accesspath.Path {
		if p.d.f.Res.Definition(root) == ssa.Value(to) {
			return p.d.f.Res.Resolve(from).Path
		}
		return root
	}) == one
}

// exit returns the block behind the loop over a list that an index belongs to.
func exit(index *ssa.Phi) *ssa.BasicBlock {
	succs := index.Block().Succs
	return succs[len(succs)-1]
}

// isPart reports whether the loop that an index belongs to only goes through a part of its list: lines[:i].
func isPart(index *ssa.Phi) bool {
	br, ok := index.Block().Instrs[len(index.Block().Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	bound, ok := br.Cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	length := builtinOf(bound.Y, "len")
	if length == nil {
		return false
	}
	cut, ok := length.Call.Args[0].(*ssa.Slice)
	return ok && (cut.Low != nil || cut.High != nil)
}

// A cellName is how a function names the element, or the object, that an event accesses.
type cellName struct {
	base accesspath.Path
	key  accesspath.Key
}

func (n cellName) rename(root func(accesspath.Path) accesspath.Path) cellName {
	return cellName{n.base.Substitute(root), n.key.Substitute(root)}
}

// nameOf names what e accesses by the elements of lists that local variables are copies of.
//
//	for _, l := range lines { s.take(l.sku) } // lines[i].sku
func (d *detector) nameOf(e *summary.Event) cellName {
	return cellName{e.Base, e.Key}.rename(func(root accesspath.Path) accesspath.Path {
		made, ok := d.f.Res.Definition(root).(*ssa.Alloc)
		if !ok {
			return root
		}
		copied := accesspath.Unknown
		for _, use := range *made.Referrers() {
			if store, ok := use.(*ssa.Store); ok && store.Addr == made {
				load, ok := store.Val.(*ssa.UnOp)
				if !ok || load.Op != token.MUL || copied != accesspath.Unknown {
					return root
				}
				copied = d.f.Res.Resolve(load.X).Path
			}
		}
		if copied == accesspath.Unknown {
			return root
		}
		return copied
	})
}

// rangeIndex returns the index of the loop over a list that a name has, nil if it has none or several.
func (d *detector) rangeIndex(n cellName) *ssa.Phi {
	var out *ssa.Phi
	for _, k := range append(n.base.Keys(), n.key.Parts()...) {
		for _, name := range append(k.Path().Keys(), k) {
			phi, ok := d.f.Res.Definition(name.Path().Root()).(*ssa.Phi)
			if !ok || phi.Comment != "rangeindex" {
				continue
			}
			if out != nil && out != phi {
				return nil
			}
			out = phi
		}
	}
	return out
}
