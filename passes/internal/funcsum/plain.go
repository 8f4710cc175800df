package funcsum

import (
	"go/types"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// isPlainList reports whether values of type t are slices of plain values. The elements of
// such a slice in a cache are not written after its insertion.
func isPlainList(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && isPlain(s.Elem())
}

// isPlain reports whether values of type t that are computed in the same way are equal,
// which references are not.
func isPlain(t types.Type) bool {
	for part := range ssautil.Parts(t) {
		switch part.Underlying().(type) {
		case *types.Basic, *types.Struct, *types.Array:
		default:
			return false
		}
	}
	return true
}
