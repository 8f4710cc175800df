package finding

import (
	"go/ast"
	"go/token"
	"slices"
	"sort"

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
	ast.Inspect(Around(pass.Files[i], pos), func(n ast.Node) bool {
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

// Around returns the declaration of a file that a position is in, or the file if it is in none:
// a search for the nodes around a position need not look at all other declarations.
func Around(f *ast.File, pos token.Pos) ast.Node {
	i := sort.Search(len(f.Decls), func(i int) bool { return pos < f.Decls[i].End() })
	if i < len(f.Decls) && f.Decls[i].Pos() <= pos {
		return f.Decls[i]
	}
	return f
}
