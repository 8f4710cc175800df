package finding

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Tests mostly do one thing after the other: the rivals of a finding in a test file are functions
// that the test does not run beside it. All such findings have this doubt, so that none of them has a
// high confidence, and who asks for that needs no candidates of functions in test files.
var inTest = Doubt{Text: "tests mostly do one thing after the other", Strong: true}

// InTestFile reports whether a position is in a test file. Line directives are ignored.
func InTestFile(fset *token.FileSet, pos token.Pos) bool {
	return pos.IsValid() && strings.HasSuffix(fset.PositionFor(pos, false).Filename, "_test.go")
}

// In returns the doubts of a finding at the given position: those in a test file come with a doubt of
// their own, before the others.
func (d Doubts) In(fset *token.FileSet, pos token.Pos) Doubts {
	if !InTestFile(fset, pos) {
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
		return !InTestFile(pass.Fset, f.FileStart) || len(Directives(f)) > 0
	})
	return func(pos token.Pos) bool {
		return !slices.ContainsFunc(quiet, func(f *ast.File) bool { return f.FileStart <= pos && pos <= f.FileEnd })
	}
}
