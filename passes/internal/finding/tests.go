package finding

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
)

// inTest is the doubt about each finding in a test file: the rival is a function that the test mostly does not
// run concurrently with the candidate. No finding with this doubt has high confidence, so that a driver that
// reports high confidence only does not need the candidates of functions in test files.
var inTest = Doubt{Text: "tests mostly do one thing after the other", Strong: true}

// DoubtTests adds their doubt to the findings in test files, and in helpers of tests in other files, before the other doubts. It returns all
// findings.
func DoubtTests(pass *analysis.Pass, findings []Finding) []Finding {
	for i := range findings {
		findings[i].Doubts = findings[i].Doubts.In(pass, findings[i].Pos)
	}
	return findings
}

// In returns the doubts of a finding at the given position: see DoubtTests.
func (d Doubts) In(pass *analysis.Pass, pos token.Pos) Doubts {
	if !callgraph.InTestFile(pass.Fset, pos) && !inHelper(pass, pos) {
		return d
	}
	return slices.Concat(Doubts{inTest}, d)
}

// inHelper reports whether a position is in a function that is given a test.
func inHelper(pass *analysis.Pass, pos token.Pos) bool {
	for _, file := range pass.Files {
		if pos < file.FileStart || file.FileEnd < pos {
			continue
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || pos < fn.Pos() || fn.End() < pos || pass.TypesInfo == nil {
				continue
			}
			obj, ok := pass.TypesInfo.Defs[fn.Name].(*types.Func)
			return ok && obj.Pkg().Path() != "testing" && callgraph.GivenTest(obj.Signature())
		}
	}
	return false
}

// Matters returns a function that reports whether a finding at a position in the pass can have an effect: with
// at least the given confidence it is reported, or a directive of its file silences it.
func Matters(pass *analysis.Pass, least Confidence) func(token.Pos) bool {
	if (Doubts{inTest}).Confidence() <= least {
		return func(token.Pos) bool { return true }
	}
	quiet := slices.DeleteFunc(slices.Clone(pass.Files), func(f *ast.File) bool {
		return !callgraph.InTestFile(pass.Fset, f.FileStart) || len(Directives(f)) > 0
	})
	return func(pos token.Pos) bool {
		return !slices.ContainsFunc(quiet, func(f *ast.File) bool { return f.FileStart <= pos && pos <= f.FileEnd })
	}
}
