package funcsum

import (
	"go/types"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// isPlainList reports whether values of type t are slices of plain values. The elements of
// such a slice in a cache are not written after its insertion.
func isPlainList(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && ssautil.IsPlain(s.Elem())
}
