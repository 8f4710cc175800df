package stalevalue

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// onlyTallies: the act counts, in a variable that tells how often something has been done, that the function has acted: it is only
// ever raised, others only return it, and nobody else who changes what was checked has to do with it.
//
//	s.mu.Lock(); r, ok := s.rates[k]; s.mu.Unlock()
//	if ok { return r }
//	r = load(k)
//	s.mu.Lock(); s.fills++; s.mu.Unlock()
//
// The function has done that, whatever has become of what it went by.
func (c *candidate) onlyTallies() bool {
	w := c.act
	return w.Loc != c.read.Loc && w.Key == "" && w.Delta() && w.Effect() == summary.Raises && !ast.IsExported(w.Loc.LastField()) && c.d.pkg.Location(w.Loc).OnlyRaised() &&
		!slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool { return e.Reads() && e.Loc == w.Loc && numbers(c.d.f, e) }) &&
		!slices.ContainsFunc(c.d.pkg.Funcs, func(f *summary.Func) bool { return f != c.d.f && accesses(f, w.Loc) && !c.onlyTells(f) })
}

// numbers reports whether a function decides something by a count that it reads, or writes it somewhere else.
func numbers(f *summary.Func, count *summary.Event) bool {
	return f.DecidesBranch(count.Values) || slices.ContainsFunc(f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc != count.Loc && slices.ContainsFunc(w.Inputs, func(v ssa.Value) bool { return f.Slice(v).HasAny(count.Values) })
	})
}

func accesses(f *summary.Func, l accesspath.Location) bool {
	return slices.ContainsFunc(f.Events, func(e *summary.Event) bool { return e.Loc == l })
}

// onlyTells reports whether a function that reads the count uses it for nothing but a result, and changes neither it nor what was
// checked, but by a call of the function that counts.
func (c *candidate) onlyTells(f *summary.Func) bool {
	return !slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		switch {
		case e.Callee == c.d.f.Sum && e.Callee != nil:
			return false
		case e.Writes():
			return e.Loc == c.act.Loc || e.Loc == c.read.Loc
		}
		return e.Loc == c.act.Loc && slices.ContainsFunc(e.Values, func(v ssa.Value) bool {
			return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
				switch use := use.(type) {
				case *ssa.Return, *ssa.Convert, *ssa.DebugRef:
					return false
				case *ssa.Store:
					result, local := use.Addr.(*ssa.Alloc) // of a function with a deferred call
					return !local || result.Heap
				}
				return true
			})
		})
	})
}
