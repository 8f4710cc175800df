package mend

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// elements makes one operation of two on one element of a sync.Map.
func (p *couple) elements() []analysis.SuggestedFix {
	c, ok := p.check(p.load.call.Pos(), p.act.call.Pos())
	if !ok || c.assign == nil || len(c.assign.Lhs) != 2 || len(c.assign.Rhs) != 1 || ast.Unparen(c.assign.Rhs[0]) != p.load.call {
		return nil
	}
	present, known := p.presence(c)
	switch {
	case p.act.name == "Store" && known && !present:
		return p.loadOrStore()
	case p.act.name == "Store" && !known:
		if out := p.replaceElement(c); out != nil {
			return out
		}
		return p.swap()
	case p.act.name == "Delete" && known && present:
		return p.loadAndDelete(c)
	}
	return nil
}

// presence says whether the element is there when the act is made, as the condition says.
func (p *couple) presence(c *check) (present, known bool) {
	x, not := negated(c.cond.Cond)
	ok := p.object(c.assign.Lhs[1])
	return not != c.holds, ok != nil && p.object(x) == ok && p.stable(c.assign.Lhs[1], c.assign.End(), p.act.call.Pos())
}

// loadOrStore makes a LoadOrStore of the Store. A variable that has what is stored gets what
// is there.
//
//	if _, ok := m.Load(k); !ok { m.Store(k, v) }
func (p *couple) loadOrStore() []analysis.SuggestedFix {
	const message = "Use LoadOrStore"
	key, value := p.text(p.act.args[0]), p.act.args[1]
	call := p.act.become("LoadOrStore", key, p.text(value))
	v := p.object(value)
	if v == nil || v.IsField() || p.uses(v, p.act.call.End(), p.body.End()) == 0 {
		return fix(message, replace(p.act.call, call))
	}
	if v.Parent() == p.pass.Pkg.Scope() || v.Pkg() != p.pass.Pkg || slices.Contains([]string{"old", "loaded"}, v.Name()) {
		return nil
	}
	if i, ok := v.Type().Underlying().(*types.Interface); ok && i.Empty() {
		return fix(message, replace(p.act.call, v.Name()+", _ = "+call))
	}
	t, ok := p.typeName(v.Type())
	if !ok {
		return nil
	}
	indent := p.indent(p.act.call.Pos())
	return fix(message, replace(p.act.call, fmt.Sprintf("if old, loaded := %s; loaded {\n%s\t%s = old.(%s)\n%[2]s}", call, indent, v.Name(), t)))
}

// typeName returns a type as the file can write it.
func (p *couple) typeName(t types.Type) (string, bool) {
	ok := p.canWrite(t)
	name := types.TypeString(t, func(pkg *types.Package) string {
		if pkg == p.pass.Pkg {
			return ""
		}
		for _, spec := range p.file.Imports {
			if name := p.pass.TypesInfo.PkgNameOf(spec); name != nil && name.Imported() == pkg && name.Name() != "." && name.Name() != "_" {
				return name.Name()
			}
		}
		ok = false
		return ""
	})
	return name, ok
}

// canWrite reports whether all names in a type are exported, or declared in the package.
func (p *couple) canWrite(t types.Type) bool {
	switch t := t.(type) {
	case *types.Basic:
		return true
	case *types.Pointer:
		return p.canWrite(t.Elem())
	case *types.Slice:
		return p.canWrite(t.Elem())
	case *types.Array:
		return p.canWrite(t.Elem())
	case *types.Chan:
		return p.canWrite(t.Elem())
	case *types.Map:
		return p.canWrite(t.Key()) && p.canWrite(t.Elem())
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if !p.canWrite(arg) {
				return false
			}
		}
		pkg := t.Obj().Pkg()
		return pkg == nil || t.Obj().Parent() == pkg.Scope() && (pkg == p.pass.Pkg || t.Obj().Exported())
	}
	return false
}

// replaceElement makes a CompareAndSwap of this:
//
//	if v, _ := m.Load(k); v == old { m.Store(k, new); … }
func (p *couple) replaceElement(c *check) []analysis.SuggestedFix {
	v := p.object(c.assign.Lhs[0])
	b, ok := ast.Unparen(c.cond.Cond).(*ast.BinaryExpr)
	if !ok || !c.holds || b.Op != token.EQL || v == nil || p.object(b.X) != v || !c.first(p.at) {
		return nil
	}
	if !isBlank(c.assign.Lhs[1]) || !p.usedOnlyIn(v, c.assign, b) {
		return nil
	}
	// An element that is not there is no element that is nil.
	old := p.pass.TypesInfo.Types[b.Y]
	if old.IsNil() || types.IsInterface(old.Type) || !types.Comparable(old.Type) || !p.plain(b.Y) || !p.plain(p.act.args[1]) {
		return nil
	}
	return p.decide(c, b, p.load.become("CompareAndSwap", p.text(p.act.args[0]), p.text(b.Y), p.text(p.act.args[1])))
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// loadAndDelete makes a LoadAndDelete of the Load, if nothing but computation is done before the
// Delete.
//
//	if v, ok := m.Load(k); ok { m.Delete(k); … }
func (p *couple) loadAndDelete(c *check) []analysis.SuggestedFix {
	list := c.cond.Body.List
	if !c.holds {
		list = c.list[c.index+1:]
	}
	i := slices.Index(list, p.at.stmt())
	if i < 0 {
		return nil
	}
	for _, s := range list[:i] {
		if !p.computes(s) || !p.changesLocals(s) {
			return nil
		}
	}
	edits := []analysis.TextEdit{replace(p.load.call, p.load.become("LoadAndDelete", p.text(p.load.args[0])))}
	remove, ok := p.remove(p.at.stmt())
	if c.alone() {
		// Without the Delete nothing depends on whether the element was there.
		if !c.before || p.commented(c.cond) || !p.usedOnlyIn(p.object(c.assign.Lhs[1]), c.assign, c.cond.Cond) || isBlank(c.assign.Lhs[0]) {
			return nil
		}
		remove, ok = p.remove(c.cond)
		edits = append(edits, replace(c.assign.Lhs[1], "_"))
	}
	if !ok {
		return nil
	}
	return fix("Use LoadAndDelete", append(edits, remove)...)
}
