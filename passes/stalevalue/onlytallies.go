package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// onlyTallies: the act counts, in a variable that tells how often something has been done, that the function has acted: it is only
// ever raised, nothing is decided by it, and what it counts has no number of its own.
//
//	s.mu.Lock(); r, ok := s.rates[k]; s.mu.Unlock()
//	if ok { return r }
//	r = load(k)
//	s.mu.Lock(); s.fills++; s.mu.Unlock()
//
// The function has done that, whatever has become of what it went by.
func (c *candidate) onlyTallies() bool {
	w := c.act
	return w.Loc != c.read.Loc && w.Key == "" && w.Delta() && w.Effect() == summary.Raises && c.isOnlyRaised() && !c.d.anyRead(w.Loc, numbers)
}

// isOnlyRaised reports whether all writers of the variable of the act raise it.
func (c *candidate) isOnlyRaised() bool {
	return !slices.ContainsFunc(c.d.pkg.Location(c.act.Loc).Writers, func(w summary.Writer) bool { return w.Effect != summary.Raises })
}

// numbers reports whether a function decides something by a count that it reads, or writes it somewhere else.
func numbers(f *summary.Func, count *summary.Event) bool {
	return f.DecidesBranch(count.Values) || slices.ContainsFunc(f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc != count.Loc && slices.ContainsFunc(w.Inputs, func(v ssa.Value) bool { return f.Slice(v).HasAny(count.Values) })
	})
}
