package stalevalue

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// isLogLine: the act is what a function of another package does to its own state when it
// formats or logs its arguments.
//
//	s.mu.Lock(); n := s.n; s.mu.Unlock()
//	s.mu.Lock(); log.Debug("changed", "from", n, "to", s.n); s.mu.Unlock()
//
// Nothing that the program computes depends on that state.
func (c *candidate) isLogLine() bool {
	call, ok := c.act.Instr.(ssa.CallInstruction)
	return ok && c.act.Callee != nil && c.act.Callee.Foreign && call.Common().Signature().Results().Len() == 0 && summary.IsText(call.Common())
}
