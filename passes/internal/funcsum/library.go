package funcsum

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// OfLibrary returns what is known of the library function that a call names.
func OfLibrary(c *ssa.CallCommon) stdlib.Func {
	if fn := ssautil.Target(c); fn != nil {
		return stdlib.OfFunc(ssautil.Object(fn))
	}
	return stdlib.Func{}
}
