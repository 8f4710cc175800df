// Package mend suggests edits that make one atomic step of two.
//
// A detector knows two accesses that should be one step, by their positions. The edits here are
// those that follow from the syntax around them alone, and that change nothing for a goroutine that
// runs by itself: the same operations, on the same operands, with the same results. What another
// goroutine does in between is what they rule out.
//
//	atomics      Load and Store of sync/atomic become Add, CompareAndSwap or Swap
//	maps         Load and Store of a sync.Map become LoadOrStore, CompareAndSwap or Swap, Load and Delete LoadAndDelete
//	sections     two critical sections with only local computation in between become one
//	second look  a check under a lock is made again under the lock of the act
//	copies       a map or slice is cloned before its reference leaves the critical section
//
// Where the syntax is another, there is no suggestion. Expressions that are evaluated in another
// order, or once more, are free of calls; variables that they name are not assigned in between.
package mend

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A function is the syntax around an access.
type function struct {
	pass *analysis.Pass
	file *ast.File
	body *ast.BlockStmt // of the innermost function, or literal
}

// functionAt returns the innermost function around both positions, if they have the same.
func functionAt(pass *analysis.Pass, read, act token.Pos) (*function, bool) {
	i := slices.IndexFunc(pass.Files, func(f *ast.File) bool { return f.FileStart <= read && read < f.FileEnd })
	if i < 0 {
		return nil, false
	}
	f := &function{pass: pass, file: pass.Files[i]}
	f.body = bodyOf(path(f.file, read))
	return f, f.body != nil && f.body == bodyOf(path(f.file, act))
}

// path returns the nodes around a position, from the file inwards.
func path(root ast.Node, at token.Pos) []ast.Node {
	var out []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil || at < n.Pos() || n.End() <= at {
			return false
		}
		out = append(out, n)
		return true
	})
	return out
}

func bodyOf(path []ast.Node) *ast.BlockStmt {
	for _, n := range slices.Backward(path) {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n.Body
		case *ast.FuncDecl:
			return n.Body
		}
	}
	return nil
}

// A place is a statement in a list of statements.
type place struct {
	list  []ast.Stmt
	index int
}

func (p place) stmt() ast.Stmt { return p.list[p.index] }

// next returns the statement after the place, or nil.
func (p place) next() ast.Stmt {
	if p.index+1 < len(p.list) {
		return p.list[p.index+1]
	}
	return nil
}

// places returns the statements around a position that are in lists, from the body inwards.
func (f *function) places(at token.Pos) []place {
	var out []place
	for _, n := range path(f.body, at) {
		list := listOf(n)
		if i := slices.IndexFunc(list, func(s ast.Stmt) bool { return s.Pos() <= at && at < s.End() }); i >= 0 {
			out = append(out, place{list, i})
		}
	}
	return out
}

// place returns the innermost statement around a position that is in a list.
func (f *function) place(at token.Pos) (place, bool) {
	all := f.places(at)
	if len(all) == 0 {
		return place{}, false
	}
	return all[len(all)-1], true
}

// listOf returns the statements that a node lists.
func listOf(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// texts returns the sources of expressions.
func (f *function) texts(list []ast.Expr) []string {
	var out []string
	for _, e := range list {
		out = append(out, f.text(e))
	}
	return out
}

// text returns the source of a node.
func (f *function) text(n ast.Node) string {
	var out bytes.Buffer
	if format.Node(&out, f.pass.Fset, n) != nil {
		return ""
	}
	return out.String()
}

func (f *function) same(a, b ast.Expr) bool { return f.text(a) == f.text(b) }

// replace returns the edit that puts text in the place of a node.
func replace(n ast.Node, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: []byte(text)}
}

// indent returns the white space before a statement that begins its line.
func (f *function) indent(at token.Pos) string {
	return strings.Repeat("\t", f.pass.Fset.PositionFor(at, false).Column-1)
}

// insert returns the edit that puts text at a position.
func insert(at token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: at, End: at, NewText: []byte(text)}
}

// fix returns a fix with edits.
func fix(message string, edits ...analysis.TextEdit) []analysis.SuggestedFix {
	return []analysis.SuggestedFix{{Message: message, TextEdits: edits}}
}

// object returns the variable that an expression names, or nil.
func (f *function) object(e ast.Expr) *types.Var {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		v, _ := f.pass.TypesInfo.ObjectOf(id).(*types.Var)
		return v
	}
	return nil
}

// uses counts the identifiers of a variable between two positions.
func (f *function) uses(v *types.Var, from, to token.Pos) int {
	n := 0
	ast.Inspect(f.body, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok && from <= id.Pos() && id.Pos() < to && f.pass.TypesInfo.ObjectOf(id) == v {
			n++
		}
		return true
	})
	return n
}

// usedOnlyIn reports whether a variable occurs nowhere but in some nodes.
func (f *function) usedOnlyIn(v *types.Var, nodes ...ast.Node) bool {
	n := f.uses(v, f.body.Pos(), f.body.End())
	for _, node := range nodes {
		n -= f.uses(v, node.Pos(), node.End())
	}
	return n == 0
}

// stable reports whether no part of an expression is assigned, or has its address taken, between two
// positions. Of s.conn.mu the parts are s and s.conn, too; an assignment of s.n changes none of them.
func (f *function) stable(e ast.Expr, from, to token.Pos) bool {
	var parts []ast.Expr
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
			parts = append(parts, n.(ast.Expr))
		}
		return true
	})
	ok := true
	changed := func(e ast.Expr) {
		if e == nil || e.Pos() < from || to <= e.Pos() {
			return
		}
		v := f.object(e)
		for _, part := range parts {
			if f.same(ast.Unparen(e), part) && v == f.object(part) {
				ok = false
			}
		}
	}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				changed(lhs)
			}
		case *ast.IncDecStmt:
			changed(n.X)
		case *ast.RangeStmt:
			changed(n.Key)
			changed(n.Value)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				changed(n.X)
			}
		}
		return true
	})
	return ok
}
