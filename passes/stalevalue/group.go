package stalevalue

import (
	"fmt"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// group returns the group of the findings about what a guard protects, in the declaration
// that the function belongs to. The initializers of package variables are declarations of their
// own.
func (d *detector) group(guard string) string {
	if strict {
		return ""
	}
	return fmt.Sprint(ssautil.Declaration(d.f.Fn).Pos(), " ", guard)
}
