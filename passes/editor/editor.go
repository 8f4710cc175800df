// Package editor prepares analyzers for editors, which underline what a diagnostic is about.
//
// A diagnostic of a detector begins where the instruction does that it is about: at the parenthesis
// of a call, or the bracket of an index expression. A person reads the whole expression:
//
//	s.items[key] = item
//	       ^~~~~           the diagnostic
//	~~~~~~~~~~~~           what is underlined
//
// What programs know of a diagnostic by its place, as comments and files of known findings do, goes
// by lines, which stay as they are.
package editor

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// Widen makes the diagnostics of an analyzer, and their related positions, begin where the syntax
// around them does. It changes the analyzer itself, since others may require it.
func Widen(a *analysis.Analyzer) {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		p := *pass
		p.Report = func(d analysis.Diagnostic) {
			d.Related = slices.Clone(d.Related)
			for i := range d.Related {
				d.Related[i].Pos = startIn(pass, d.Related[i].Pos)
			}
			d.Pos = startIn(pass, d.Pos)
			pass.Report(d)
		}
		return run(&p)
	}
}

func startIn(pass *analysis.Pass, pos token.Pos) token.Pos {
	for _, file := range pass.Files {
		if file.FileStart <= pos && pos < file.FileEnd {
			return Start(pass.Fset, file, pos)
		}
	}
	return pos
}

// Start returns where the syntax begins that a position in a file stands for, on the line of the
// position: the smallest node around it, or the selector expression that an identifier ends.
func Start(fset *token.FileSet, file *ast.File, pos token.Pos) token.Pos {
	var node, parent ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		parent, node = node, n
		return true
	})
	if sel, ok := parent.(*ast.SelectorExpr); ok && sel.Sel == node {
		node = sel
	}
	if _, ok := node.(*ast.File); ok || node == nil {
		return pos
	}
	lines := fset.File(pos)
	start, line := pos, lines.PositionFor(pos, false).Line
	ast.Inspect(node, func(n ast.Node) bool {
		if n != nil && n.Pos() < start && lines.PositionFor(n.Pos(), false).Line == line {
			start = n.Pos()
		}
		return n != nil
	})
	return start
}
