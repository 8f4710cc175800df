package mend

import (
	"go/ast"
	"go/token"
	"slices"
)

// A check is an if statement that decides about an act by what was read.
type check struct {
	place                  // of the if statement
	cond   *ast.IfStmt     //
	assign *ast.AssignStmt // of what was read, or nil if the condition reads it
	before bool            // the assignment is the statement before, not in the if statement
	holds  bool            // the act is made if the condition holds; otherwise, if it does not
}

// check returns the if statement that reads at one position, itself or in the assignment before it,
// and under which the act is: in its body, or after it if the body leaves.
func (f *function) check(read, act token.Pos) (*check, bool) {
	p, ok := f.place(read)
	if !ok {
		return nil, false
	}
	c := &check{place: p}
	if assign, ok := p.stmt().(*ast.AssignStmt); ok {
		cond, ok := p.next().(*ast.IfStmt)
		if !ok || cond.Init != nil {
			return nil, false
		}
		c.assign, c.before, c.cond = assign, true, cond
		c.index++
	} else if c.cond, ok = p.stmt().(*ast.IfStmt); !ok {
		return nil, false
	} else if c.cond.Init != nil {
		if c.assign, ok = c.cond.Init.(*ast.AssignStmt); !ok {
			return nil, false
		}
	}
	if c.cond.Else != nil {
		return nil, false
	}
	switch body := c.cond.Body; {
	case body.Pos() <= act && act < body.End():
		c.holds = true
	case !f.leaves(body) || act < c.cond.End() || c.list[len(c.list)-1].End() <= act:
		return nil, false
	}
	return c, f.straight(c, act)
}

// straight reports whether the act is made at most once after the check, and in the same call.
func (f *function) straight(c *check, act token.Pos) bool {
	return !slices.ContainsFunc(path(f.body, act), func(n ast.Node) bool {
		if n.Pos() <= c.cond.Pos() {
			return false
		}
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.DeferStmt, *ast.GoStmt, *ast.LabeledStmt:
			return true
		}
		return false
	})
}

// first reports whether the act is the first statement after the decision.
func (c *check) first(act place) bool {
	if c.holds {
		return len(c.cond.Body.List) > 0 && c.cond.Body.List[0] == act.stmt()
	}
	return c.next() == act.stmt()
}

// alone reports whether the act is all that the body has, so that the statement is the act.
func (c *check) alone() bool { return c.holds && len(c.cond.Body.List) == 1 }

// deciding returns the operand of the condition that is evaluated last, if the act is only made
// when the operand holds, or only when it does not.
func (c *check) deciding() ast.Expr {
	op := token.LAND
	if !c.holds {
		op = token.LOR
	}
	e := ast.Unparen(c.cond.Cond)
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == op {
		return ast.Unparen(b.Y)
	}
	return e
}

// negated splits the negation off an expression.
func negated(e ast.Expr) (_ ast.Expr, not bool) {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.NOT {
		return ast.Unparen(u.X), true
	}
	return ast.Unparen(e), false
}
