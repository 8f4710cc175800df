package mend

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// remove returns the edit that removes a statement, with its line if there is no comment on that.
// A statement that shares its lines with others is not removed.
func (f *function) remove(st ast.Stmt) (analysis.TextEdit, bool) {
	edit := analysis.TextEdit{Pos: st.Pos(), End: st.End()}
	lines := f.pass.Fset.File(st.Pos())
	first, last := lineOf(lines, st.Pos()), lineOf(lines, st.End())
	if last == lines.LineCount() || f.crowded(st, lines, first, last) {
		return edit, false
	}
	if !slices.ContainsFunc(f.file.Comments, func(c *ast.CommentGroup) bool {
		return lineOf(lines, c.Pos()) <= last && first <= lineOf(lines, c.End())
	}) {
		edit.Pos, edit.End = lines.LineStart(first), lines.LineStart(last+1)
	}
	return edit, true
}

// lineOf returns the line of a position in the file itself, whatever its //line comments say.
func lineOf(file *token.File, at token.Pos) int { return file.PositionFor(at, false).Line }

// crowded reports whether another statement, or a brace, is on the lines of a statement.
func (f *function) crowded(st ast.Stmt, lines *token.File, first, last int) bool {
	other := false
	on := func(at token.Pos) bool { line := lineOf(lines, at); return first <= line && line <= last }
	ast.Inspect(f.body, func(n ast.Node) bool {
		if n == nil || n == st {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			other = other || on(n.Lbrace) || on(n.Rbrace)
		case *ast.CaseClause:
			other = other || on(n.Colon)
		case *ast.CommClause:
			other = other || on(n.Colon)
		case ast.Stmt:
			around := n.Pos() < st.Pos() && st.End() < n.End()
			other = other || !around && (on(n.Pos()) || on(n.End()))
		}
		return true
	})
	return other
}
