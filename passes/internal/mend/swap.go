package mend

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// swap makes one Swap of these, where what is stored is what the check compares with:
//
//	if x.Load() != new { x.Store(new); … }
//	old := x.Load(); if old == new { return }; x.Store(new)
//	if old, ok := m.Load(k); !ok || old != new { m.Store(k, new); … }
//
// If the Store is not made, the operand has that value already, so that to store it changes
// nothing. In contrast to a CompareAndSwap, what was there before can be used.
func (p *couple) swap() []analysis.SuggestedFix {
	c, ok := p.check(p.load.call.Pos(), p.act.call.Pos())
	if !ok || c.alone() || !p.soon(c) {
		return nil
	}
	stored := p.act.args[len(p.act.args)-1]
	if !p.isName(stored) || !p.stable(stored, p.load.call.Pos(), p.act.call.Pos()) || !p.decidedBy(c, stored) {
		return nil
	}
	args := append(p.texts(p.load.args), p.text(stored))
	edits := []analysis.TextEdit{replace(p.load.call, p.load.become("Swap", args...))}
	remove, ok := p.remove(p.at.stmt())
	if !ok {
		return nil
	}
	return fix("Use Swap", append(edits, remove)...)
}

// soon reports whether the act comes after the decision with nothing but computation in between.
func (p *couple) soon(c *check) bool {
	list := c.cond.Body.List
	if !c.holds {
		list = c.list[c.index+1:]
	}
	i := slices.Index(list, p.at.stmt())
	return i >= 0 && !slices.ContainsFunc(list[:i], func(s ast.Stmt) bool { return !p.computes(s) || !p.changesLocals(s) })
}

// isName reports whether an expression is a constant, nil, or names a variable: it means the same
// value each time.
func (p *couple) isName(e ast.Expr) bool {
	tv := p.pass.TypesInfo.Types[e]
	return tv.Value != nil || tv.IsNil() || p.simple(e)
}

// decidedBy reports whether the act is left out only if the operand has a value already. A
// condition that is evaluated after the Load in parts must not have others.
func (p *couple) decidedBy(c *check, stored ast.Expr) bool {
	if p.load.isMap() {
		return p.decidedByElement(c, stored)
	}
	if c.assign != nil && (len(c.assign.Lhs) != 1 || len(c.assign.Rhs) != 1) {
		return false
	}
	e := c.deciding()
	if c.assign != nil && e != ast.Unparen(c.cond.Cond) {
		return false
	}
	if x, not := negated(e); p.isValue(x, c) {
		v := p.pass.TypesInfo.Types[stored].Value
		return v != nil && v.String() == map[bool]string{true: "true", false: "false"}[not == c.holds]
	}
	return p.differs(e, c, stored, func(x ast.Expr) bool { return p.isValue(x, c) })
}

// differs reports whether an operand of the condition compares a value with what is stored, so that
// the act is made if they differ.
func (p *couple) differs(e ast.Expr, c *check, stored ast.Expr, isValue func(ast.Expr) bool) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ || (b.Op == token.NEQ) != c.holds {
		return false
	}
	x, y := ast.Unparen(b.X), ast.Unparen(b.Y)
	if isValue(y) {
		x, y = y, x
	}
	return isValue(x) && p.same(y, ast.Unparen(stored))
}

// decidedByElement is decidedBy for an element of a sync.Map. One that is not there is loaded as
// nil, which is not what is stored if that has a type of its own, or if the check asks for its
// presence, too.
func (p *couple) decidedByElement(c *check, stored ast.Expr) bool {
	if c.assign == nil || len(c.assign.Lhs) != 2 || len(c.assign.Rhs) != 1 || ast.Unparen(c.assign.Rhs[0]) != p.load.call {
		return false
	}
	v, ok := p.object(c.assign.Lhs[0]), p.object(c.assign.Lhs[1])
	isElement := func(e ast.Expr) bool { return v != nil && p.object(e) == v }
	tv := p.pass.TypesInfo.Types[stored]
	if !tv.IsNil() && !types.IsInterface(tv.Type) && types.Comparable(tv.Type) && p.differs(c.cond.Cond, c, stored, isElement) {
		return true
	}
	op := token.LOR
	if !c.holds {
		op = token.LAND
	}
	b, both := ast.Unparen(c.cond.Cond).(*ast.BinaryExpr)
	if !both || b.Op != op {
		return false
	}
	present, not := negated(b.X)
	return ok != nil && p.object(present) == ok && not == c.holds && p.differs(b.Y, c, stored, isElement)
}
