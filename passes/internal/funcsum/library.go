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

// StartsAtOnce reports whether an instruction starts a goroutine that begins at once: a go statement, or the Go method of a group. What a
// timer starts begins later.
func StartsAtOnce(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Go:
		return true
	case *ssa.Call:
		return OfLibrary(&instr.Call).Group
	}
	return false
}
