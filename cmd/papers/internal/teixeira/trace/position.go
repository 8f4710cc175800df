package trace

import (
	"cmp"
	"go/token"
	"strings"
)

// Compare orders positions by the name of the file and the place in it. Positions as
// such tell in which order the files were parsed, which may be any.
func Compare(fset *token.FileSet, a, b token.Pos) int {
	if x, y := fset.File(a), fset.File(b); x != nil && y != nil && x != y {
		return strings.Compare(x.Name(), y.Name())
	}
	return cmp.Compare(a, b)
}
