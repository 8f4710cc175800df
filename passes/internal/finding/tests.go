package finding

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
)

// inTest is the doubt about each finding in a test file: the rival is a function that the test mostly does not
// run concurrently with the candidate. No finding with this doubt has high confidence, so that a driver that
// reports high confidence only does not need the candidates of functions in test files.
var inTest = Doubt{Text: "tests mostly do one thing after the other", Strong: true}

// In returns the doubts of a finding at the given position: those in a test file come with a doubt of
// their own, before the others.
func (d Doubts) In(fset *token.FileSet, pos token.Pos) Doubts {
	if !callgraph.InTestFile(fset, pos) {
		return d
	}
	return slices.Concat(Doubts{inTest}, d)
}

// DoubtTests adds their doubt to the findings in test files, and returns all findings.
func DoubtTests(pass *analysis.Pass, findings []Finding) []Finding {
	for i := range findings {
		findings[i].Doubts = findings[i].Doubts.In(pass.Fset, findings[i].Pos)
	}
	return findings
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
