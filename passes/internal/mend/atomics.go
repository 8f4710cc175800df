package mend

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Operations makes one operation of two on one number of sync/atomic, or on one element of a
// sync.Map: a Load at one position and a Store, or a Delete, at another.
func Operations(pass *analysis.Pass, read, act token.Pos) []analysis.SuggestedFix {
	f, ok := functionAt(pass, read, act)
	if !ok {
		return nil
	}
	load, store := f.operationAt(read), f.operationAt(act)
	if load == nil || store == nil || load.name != "Load" || load.call.Pos() == store.call.Pos() || !together(load, store) {
		return nil
	}
	at, ok := f.place(store.call.Pos())
	if !ok || !isCall(at.stmt(), store.call) {
		return nil
	}
	p := &couple{f, load, store, at}
	if load.isMap() {
		return p.elements()
	}
	if store.name != "Store" {
		return nil
	}
	if out := p.add(); out != nil {
		return out
	}
	if out := p.compareAndSwap(); out != nil {
		return out
	}
	return p.swap()
}

// isCall reports whether a statement is a call and nothing else.
func isCall(s ast.Stmt, call *ast.CallExpr) bool {
	e, ok := s.(*ast.ExprStmt)
	return ok && ast.Unparen(e.X) == call
}

// A couple is a Load and an act on the same operand.
type couple struct {
	*function
	load, act *operation
	at        place // of the act
}

// add makes one Add of these:
//
//	x.Store(x.Load() + d)
//	n := x.Load(); x.Store(n + d)
//	n := x.Load() + d; x.Store(n)
func (p *couple) add() []analysis.SuggestedFix {
	if !p.load.isInteger() {
		return nil
	}
	const message = "Use Add"
	if d, ok := p.delta(p.act.args[0], func(e ast.Expr) bool { return e == p.load.call }); ok {
		return fix(message, replace(p.act.call, p.act.become("Add", d)))
	}
	read, ok := p.place(p.load.call.Pos())
	if !ok || read.next() != p.at.stmt() {
		return nil
	}
	assign, ok := read.stmt().(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || assign.Tok != token.DEFINE {
		return nil
	}
	n := p.object(assign.Lhs[0])
	if n == nil {
		return nil
	}
	remove, ok := p.remove(p.at.stmt())
	if !ok {
		return nil
	}
	if d, ok := p.delta(assign.Rhs[0], func(e ast.Expr) bool { return e == p.load.call }); ok && p.object(p.act.args[0]) == n {
		if p.usedOnlyIn(n, assign, p.act.call) {
			return nil // the variable would be unused
		}
		return fix(message, replace(assign.Rhs[0], p.load.become("Add", d)), remove)
	}
	if ast.Unparen(assign.Rhs[0]) != p.load.call {
		return nil
	}
	d, ok := p.delta(p.act.args[0], func(e ast.Expr) bool { return p.object(e) == n })
	if !ok {
		return nil
	}
	if p.usedOnlyIn(n, assign, p.act.call) {
		whole, ok := p.remove(assign)
		if !ok {
			return nil
		}
		return fix(message, whole, replace(p.act.call, p.act.become("Add", d)))
	}
	return fix(message, replace(assign.Rhs[0], p.load.become("Add", d)+" - "+d), remove)
}

// delta returns what is added to an operand.
func (p *couple) delta(sum ast.Expr, operand func(ast.Expr) bool) (string, bool) {
	b, ok := ast.Unparen(sum).(*ast.BinaryExpr)
	if !ok || b.Op != token.ADD {
		return p.difference(b, ok, operand)
	}
	x, y := ast.Unparen(b.X), ast.Unparen(b.Y)
	if operand(y) {
		x, y = y, x
	}
	if !operand(x) || operand(y) || !p.simple(y) {
		return "", false
	}
	return p.text(y), true
}

// difference returns the negation of what is subtracted from an operand.
func (p *couple) difference(b *ast.BinaryExpr, ok bool, operand func(ast.Expr) bool) (string, bool) {
	if !ok || b.Op != token.SUB || !operand(ast.Unparen(b.X)) || !p.simple(b.Y) {
		return "", false
	}
	if t, ok := p.load.kind.Underlying().(*types.Basic); !ok || t.Info()&types.IsUnsigned != 0 {
		return "", false
	}
	return "-" + p.text(b.Y), true
}

// simple reports whether an expression can be written twice, and after a minus.
func (p *couple) simple(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return p.plain(e)
	}
	return false
}

// compareAndSwap makes one CompareAndSwap of these:
//
//	if x.Load() == old { x.Store(new); … }
//	if x.Load() != old { return }; x.Store(new)
func (p *couple) compareAndSwap() []analysis.SuggestedFix {
	c, ok := p.check(p.load.call.Pos(), p.act.call.Pos())
	if !ok || !c.first(p.at) || !p.plain(p.act.args[0]) {
		return nil
	}
	e := c.deciding()
	old, ok := p.expected(e, c)
	if !ok {
		return nil
	}
	if c.assign != nil {
		v := p.object(c.assign.Lhs[0])
		if len(c.assign.Lhs) != 1 || v == nil || !p.usedOnlyIn(v, c.assign, e) {
			return nil
		}
	}
	return p.decide(c, e, p.load.become("CompareAndSwap", old, p.text(p.act.args[0])))
}

// decide makes a call of the operand of the condition that decides about the act. What is read
// before, and the act, go away; without anything else in the body, the call is all that is left.
func (p *couple) decide(c *check, operand ast.Expr, call string) []analysis.SuggestedFix {
	const message = "Use CompareAndSwap"
	var edits []analysis.TextEdit
	if c.before {
		whole, ok := p.remove(c.assign)
		if !ok {
			return nil
		}
		edits = append(edits, whole)
	}
	if c.alone() && operand == ast.Unparen(c.cond.Cond) && !p.commented(c.cond) {
		return fix(message, append(edits, replace(c.cond, call))...)
	}
	if !c.holds {
		call = "!" + call
	}
	edits = append(edits, replace(operand, call))
	if c.assign != nil && !c.before {
		edits = append(edits, analysis.TextEdit{Pos: c.assign.Pos(), End: c.cond.Cond.Pos()})
	}
	remove, ok := p.remove(p.at.stmt())
	if !ok {
		return nil
	}
	return fix(message, append(edits, remove)...)
}

// commented reports whether there is a comment in a node.
func (f *function) commented(n ast.Node) bool {
	return slices.ContainsFunc(f.file.Comments, func(c *ast.CommentGroup) bool { return n.Pos() <= c.Pos() && c.Pos() < n.End() })
}

// expected returns what the number is when the act is made, as the deciding operand says.
func (p *couple) expected(e ast.Expr, c *check) (string, bool) {
	if x, not := negated(e); p.isValue(x, c) {
		if not == c.holds {
			return "false", true
		}
		return "true", true
	}
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ || (b.Op == token.EQL) != c.holds {
		return "", false
	}
	x, y := ast.Unparen(b.X), ast.Unparen(b.Y)
	if p.isValue(y, c) {
		x, y = y, x
	}
	return p.text(y), p.isValue(x, c) && p.plain(y)
}

// isValue reports whether an expression is what was read.
func (p *couple) isValue(e ast.Expr, c *check) bool {
	if c.assign == nil {
		return ast.Unparen(e) == p.load.call
	}
	v := p.object(e)
	return v != nil && len(c.assign.Rhs) == 1 && ast.Unparen(c.assign.Rhs[0]) == p.load.call && v == p.object(c.assign.Lhs[0])
}
