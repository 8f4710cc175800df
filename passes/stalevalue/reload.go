package stalevalue

import (
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A reload is an act that is no write, as an unchecked look-up is: a variable is read, found
// usable, and read again in a later section, and what the second read yields is used where a
// zero value fails, without a test of its own. It is the scenario R(x) W'(x) R(x) of Vaziri,
// Tip and Dolby, with two answers of which the first has decided about the second.
//
//	if s.Conn() != nil {
//		s.Conn().Write(b) // Close sets s.conn to nil
//	}
//
// It must have a writer that stores a zero value after construction: a variable that is only
// ever filled stays usable. Two reads that are compared, printed or counted are left out: what
// is seen twice is in most programs only seen later.

// readsAgain: the second read is of the same variable, and what it yields is used unchecked.
func (p *pair) readsAgain() bool {
	if p.read.Key != "" || p.act.Loc != p.read.Loc || p.read.Writes() {
		return false
	}
	use := p.d.f.NeedsValue(p.act)
	return use != nil && p.excludesZero(use)
}

// excludesZero reports whether the use is only reached if what was read is not zero, or not
// nil. A result that is a flag is taken to say so, on the side that leads there.
func (p *pair) excludesZero(use ssa.Instruction) bool {
	return slices.ContainsFunc(p.read.Values, func(v ssa.Value) bool {
		return branch.Holds(v, use.Block(), func(f branch.Fact) bool {
			return f.NonNil() || f.True() || f.False() || f.IsNot(constant.MakeInt64(0))
		})
	})
}

// leavesZero: the rival stores a zero value, or any number where the code asks for zero.
//
//	s.mu.Lock(); s.conn = dial(); s.mu.Unlock() // it is never taken away
func (r rival) leavesZero() bool {
	w := r.writer
	if slices.ContainsFunc(r.candidate.act.Values, func(v ssa.Value) bool { return ssautil.IsNumber(v.Type()) }) {
		return w.Const == "0" || w.Const == "" && w.Effect == summary.Anything
	}
	return w.Const == "nil" || r.storesNilOfCaller()
}

// storesNilOfCaller reports whether the rival stores a parameter for which a caller passes nil.
//
//	func (m *Manager) SetHandle(h Handle) { m.mu.Lock(); m.handle = h; m.mu.Unlock() }
//	func (m *Manager) Exited()            { m.SetHandle(nil) }
func (r rival) storesNilOfCaller() bool {
	g, e := r.candidate.d.pkg.WriteOf(r.writer)
	if e == nil || e.Callee != nil || len(e.Inputs) != 1 {
		return false
	}
	i := slices.IndexFunc(g.Fn.Params, func(prm *ssa.Parameter) bool { return prm == e.Inputs[0] })
	if i < 0 || branch.Holds(e.Inputs[0], e.Instr.Block(), branch.Fact.NonNil) {
		return false
	}
	for _, a := range r.candidate.d.pkg.Processes().Arguments(g, i) {
		if k, ok := a.Value.(*ssa.Const); ok && k.IsNil() {
			return true
		}
	}
	return false
}

// ofReload limits a rule to the rivals of reloads.
func ofReload(r rival) bool { return r.candidate != nil && r.candidate.link == uncheckedReload }
