package viewconsistency

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// merge suggests to make one section of two, where that is mechanical: the
// release of the first and the beginning of the second are statements of one
// block, with nothing between them that could block, or that others see.
func (d *detector) merge(c *candidate) (analysis.SuggestedFix, bool) {
	none := analysis.SuggestedFix{}
	begin := d.site(c.b)
	if begin == nil || c.a.Inner || c.a.Path != c.b.Path || c.a.Mode != c.b.Mode {
		return none, false
	}
	instrs := begin.Block().Instrs
	last := slices.Index(instrs, begin)
	releases := d.f.Order().Releases(c.a.Path)
	first := last - 1
	for first >= 0 && isLocal(instrs[first]) && !releases[instrs[first]] {
		first--
	}
	if first < 0 || !releases[instrs[first]] || !d.f.Order().MustPass(c.first.Instr, instrs[first], c.second.Instr) {
		return none, false
	}
	unlock, ok := d.statement(instrs[first].Pos())
	if !ok {
		return none, false
	}
	lock, ok := d.statement(begin.Pos())
	if !ok {
		return none, false
	}
	return analysis.SuggestedFix{Message: "Merge the two critical sections", TextEdits: []analysis.TextEdit{unlock, lock}}, true
}

// isLocal reports whether an instruction only computes something.
func isLocal(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op != token.ARROW
	case *ssa.Store:
		_, ok := instr.Addr.(*ssa.Alloc)
		return ok
	case *ssa.Call:
		_, ok := instr.Call.Value.(*ssa.Builtin)
		return ok
	case *ssa.Alloc, *ssa.BinOp, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.Convert, *ssa.DebugRef, *ssa.Extract,
		*ssa.Field, *ssa.FieldAddr, *ssa.Index, *ssa.IndexAddr, *ssa.MakeInterface, *ssa.Slice:
		return true
	}
	return false
}

// statement returns the edit that removes the call with the given parenthesis,
// with its line if there is no comment on that.
func (d *detector) statement(lparen token.Pos) (analysis.TextEdit, bool) {
	i := slices.IndexFunc(d.pass.Files, func(f *ast.File) bool { return f.FileStart <= lparen && lparen < f.FileEnd })
	if i < 0 {
		return analysis.TextEdit{}, false
	}
	file := d.pass.Files[i]
	var found *ast.ExprStmt
	ast.Inspect(file, func(n ast.Node) bool {
		if st, ok := n.(*ast.ExprStmt); ok {
			if call, ok := st.X.(*ast.CallExpr); ok && call.Lparen == lparen {
				found = st
			}
		}
		return found == nil && n != nil && n.Pos() <= lparen && lparen < n.End()
	})
	if found == nil {
		return analysis.TextEdit{}, false
	}
	edit := analysis.TextEdit{Pos: found.Pos(), End: found.End()}
	lines := d.pass.Fset.File(lparen)
	line := lineOf(lines, found.Pos())
	if line != lineOf(lines, found.End()) || line == lines.LineCount() || crowded(file, found, lines, line) {
		return edit, false
	}
	if !slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool {
		return lineOf(lines, c.Pos()) <= line && line <= lineOf(lines, c.End())
	}) {
		edit.Pos, edit.End = lines.LineStart(line), lines.LineStart(line+1)
	}
	return edit, true
}

// lineOf returns the line of a position in the file itself, whatever its //line
// comments say.
func lineOf(file *token.File, at token.Pos) int { return file.PositionFor(at, false).Line }

// crowded reports whether another statement is on the line of a statement.
func crowded(file *ast.File, st ast.Stmt, lines *token.File, line int) bool {
	on := func(n ast.Node) bool { return lineOf(lines, n.Pos()) == line || lineOf(lines, n.End()) == line }
	other := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.BlockStmt:
			other = other || lineOf(lines, n.Lbrace) == line || lineOf(lines, n.Rbrace) == line
		case *ast.CaseClause:
			other = other || lineOf(lines, n.Colon) == line
		case *ast.CommClause:
			other = other || lineOf(lines, n.Colon) == line
		case ast.Stmt:
			around := n.Pos() < st.Pos() && st.End() < n.End()
			other = other || n != st && !around && on(n)
		}
		return n.Pos() <= st.End() && st.Pos() <= n.End() || on(n)
	})
	return other
}
