package funcsum

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A branch on the result of a callee says of a variable what the callee has found out about it:
//
//	func (n *node) isSuspect() bool { return n.state == suspect }
//
//	if n.isSuspect() { … } // n.state == suspect
//
// Such a fact is about what the callee has read, in its critical section. It holds if it holds at each return of the callee
// whose results are as the caller knows them.

// Found yields the facts about what e reads that follow from a fact about a value of the function. Of a callee whose body is not
// known the result is taken for what it has read.
func (f *Body) Found(e *Event, is branch.Fact) iter.Seq[branch.Fact] {
	return func(yield func(branch.Fact) bool) {
		if !slices.Contains(e.Values, is.Subject) {
			return
		}
		for _, found := range f.found(e, is, limit.FuncValueSteps) {
			if !yield(found) {
				return
			}
		}
	}
}

// FoundAt yields the facts about what e reads that hold in a block, by the branches on the way to it.
func (f *Body) FoundAt(e *Event, b *ssa.BasicBlock) iter.Seq[branch.Fact] {
	return func(yield func(branch.Fact) bool) {
		for is := range branch.At(b) {
			for found := range f.Found(e, is) {
				if !yield(found) {
					return
				}
			}
		}
	}
}

// Knows reports whether a fact about what e reads that satisfies asked holds in a block.
func (f *Body) Knows(e *Event, b *ssa.BasicBlock, asked func(branch.Fact) bool) bool {
	for is := range f.FoundAt(e, b) {
		if asked(is) {
			return true
		}
	}
	return false
}

// FoundSide returns the successor of a branch on cond on which a fact about what e reads holds that satisfies asked, or -1 if one
// holds on neither or on both.
func (f *Body) FoundSide(cond ssa.Value, e *Event, asked func(branch.Fact) bool) int {
	return branch.Side(cond, func(is branch.Fact) bool {
		for found := range f.Found(e, is) {
			if asked(found) {
				return true
			}
		}
		return false
	})
}

// Compared returns the comparison of what a callee reads with a constant, for equality, that is equivalent to a fact about its
// boolean result, and false if no comparison is.
func (f *Body) Compared(e *Event, is branch.Fact) (branch.Fact, bool) {
	yes := slices.Collect(f.Found(e, is))
	no := slices.Collect(f.Found(e, branch.Alone(is.Subject, is.False())))
	if len(yes) != 1 || len(no) != 1 || yes[0].Subject == is.Subject || yes[0].Length {
		return branch.Fact{}, false
	}
	is = yes[0]
	equality := is.Relation == branch.Equal && no[0].Relation == branch.Differs || is.Relation == branch.Differs && no[0].Relation == branch.Equal
	return is, equality && is.Excludes(no[0])
}

// found returns the facts about what e reads that follow from a fact about one of its values. Those of a callee hold at each of its
// returns that admit the fact, and may come from a callee of that, in at most the given number of calls.
func (f *Body) found(e *Event, is branch.Fact, calls int) []branch.Fact {
	o, ok := f.outcomeOf(e, func(yield func(branch.Fact) bool) { yield(is) })
	if !ok || !o.in.areOne(o.inner) || calls == 0 {
		return []branch.Fact{is}
	}
	var out []branch.Fact
	first := true
	for _, r := range o.returns {
		returned, possible := is.Along(ssautil.Returned(r, resultIndex(o.call, is.Subject)))
		if !possible || !o.mayReturn(r) {
			continue
		}
		var here []branch.Fact
		for known := range branch.AtIf(r.Block(), returned) {
			for _, inner := range o.inner {
				if slices.Contains(inner.Values, known.Subject) {
					here = append(here, o.in.found(inner, known, calls-1)...)
				}
			}
		}
		if first {
			out, first = here, false
		} else {
			out = branch.Common(out, here)
		}
	}
	return out
}

// areOne reports whether reads that are one for a caller yield the same: they are in one critical section, of f or of its callers, and f
// does not write the variable.
//
//	return s.sys != nil && s.sys.client != nil
func (f *Body) areOne(reads []*Event) bool {
	if len(reads) == 1 {
		return true
	}
	apart := func(e *Event) bool {
		return e.Callee != nil || (len(e.Holds) > 0 || len(reads[0].Holds) > 0) && !SharePassage(e, reads[0])
	}
	return len(reads) > 0 && !slices.ContainsFunc(reads, apart) && !slices.ContainsFunc(f.Events, func(w *Event) bool { return w.Writes() && w.Loc == reads[0].Loc })
}
