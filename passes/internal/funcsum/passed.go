package funcsum

import (
	"math/bits"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A setter writes what its caller passes. The value is known at the call:
//
//	func (c *conn) set(s state) { c.state = s }
//
//	c.set(closed) // writes the constant closed

// passes reports whether a write of f stores a parameter of f as it is.
func (e *Event) passes() bool {
	if e.Reads() || e.Key != "" || len(e.Inputs) != 1 {
		return false
	}
	_, ok := e.Inputs[0].(*ssa.Parameter)
	return ok
}

// setPassed sets the value of a write of a setter, which is the argument for the one
// parameter of the set.
func (e *Event) setPassed(params uint32) {
	if bits.OnesCount32(params) != 1 || len(e.Inputs) != 1 {
		e.Traits &^= fact.Passed
		return
	}
	if text, fixed := ssautil.ConstText(e.Inputs[0]); fixed {
		e.Op |= fact.Fixed
		e.Const = text
	}
	e.Traits = e.Traits.With(fact.Passed, e.passes())
}
