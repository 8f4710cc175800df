package ignores

import (
	"go/ast"
	"go/token"

	"github.com/atomvet/atomvet/passes/internal/finding"
)

// Silences reports whether a comment in a file silences a category of a detector on a line, for
// tools that have reports of their own.
func Silences(fset *token.FileSet, file *ast.File, line int, detector, category string) bool {
	return finding.SilencesLine(fset, file, line, detector, category)
}
