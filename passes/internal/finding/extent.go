package finding

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// extent returns the end of the syntax that a position stands for, on the line of the position:
// an editor should mark what a finding is about, and not the body of a function literal in it.
//
// A position of an instruction is that of a token, such as the parenthesis of a call or the
// operator of an assignment. It stands for the smallest node around it. NoPos is returned for
// a position outside of the files of the pass.
func extent(pass *analysis.Pass, pos token.Pos) token.Pos {
	i := slices.IndexFunc(pass.Files, func(f *ast.File) bool { return f.FileStart <= pos && pos < f.FileEnd })
	if !pos.IsValid() || i < 0 {
		return token.NoPos
	}
	var node ast.Node
	ast.Inspect(pass.Files[i], func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		node = n
		return true
	})
	if _, ok := node.(*ast.File); ok || node == nil {
		return token.NoPos
	}
	file := pass.Fset.File(pos)
	line, end := file.Line(pos), token.NoPos
	ast.Inspect(node, func(n ast.Node) bool {
		if n != nil && n.End() > max(end, pos) && file.Line(n.End()-1) == line {
			end = n.End()
		}
		return n != nil
	})
	return end
}
