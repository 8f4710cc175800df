package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// effects returns the operations on locks of the caller that are in effect after a call of
// f, from the lock states at its returns.
func (f *Body) effects() []lockset.Op {
	var returns []*ssa.Return
	var states []*lockset.State
	f.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
		if r, ok := instr.(*ssa.Return); ok {
			returns = append(returns, r)
			states = append(states, &lockset.State{Held: slices.Clone(st.Held)})
		}
	})
	if len(returns) == 0 {
		return nil
	}
	var ops []lockset.Op
	given := f.Flow.Given()
	for _, g := range given {
		if op, ok := givenEffect(g, returns, states); ok {
			ops = append(ops, op)
		}
	}
	var seen []accesspath.Path
	for _, st := range states {
		for _, h := range st.Held {
			if slices.Contains(seen, h.Path) || h.Path.IsLocal() ||
				slices.ContainsFunc(given, func(g lockset.Guard) bool { return g.Path == h.Path }) {
				continue
			}
			seen = append(seen, h.Path)
			ops = append(ops, acquireEffect(h.Guard, returns, states))
		}
	}
	slices.SortFunc(ops, func(a, b lockset.Op) int {
		if a.Guard.Path < b.Guard.Path {
			return -1
		}
		if a.Guard.Path > b.Guard.Path {
			return 1
		}
		return int(a.Kind) - int(b.Kind)
	})
	return ops
}

// givenEffect returns the effect on a lock of the caller that f releases: released, or
// split if it is held again at the return.
func givenEffect(g lockset.Guard, returns []*ssa.Return, states []*lockset.State) (lockset.Op, bool) {
	released, kept, split, whole := 0, 0, 0, 0
	gone := make([]bool, len(states))
	for i, st := range states {
		h := st.Find(g.Path)
		gone[i] = h == nil
		switch {
		case h == nil:
			released++
		case !h.Must:
			released++
			kept++
		default:
			kept++
		}
		if h != nil && slices.ContainsFunc(h.Sites, func(s int) bool { return s != lockset.Entry }) {
			split++
		}
		if h != nil && slices.Contains(h.Sites, lockset.Entry) {
			whole++
		}
	}
	if g.Path.IsLocal() {
		return lockset.Op{}, false
	}
	switch {
	case released > 0:
		op := lockset.Op{Kind: lockset.Release, Guard: g, May: kept > 0}
		if op.May {
			setOutcome(&op, returns, gone)
		}
		return op, true
	case split > 0:
		return lockset.Op{Kind: lockset.Split, Guard: g, May: whole > 0}, true
	}
	return lockset.Op{}, false
}

// acquireEffect returns the effect of a lock that is held at some return of f.
func acquireEffect(g lockset.Guard, returns []*ssa.Return, states []*lockset.State) lockset.Op {
	op := lockset.Op{Kind: lockset.Acquire, Guard: g}
	held := make([]bool, len(states))
	for i, st := range states {
		h := st.Find(g.Path)
		held[i] = h != nil && h.Must
		op.May = op.May || !held[i]
	}
	if op.May {
		setOutcome(&op, returns, held)
	}
	return op
}

// setOutcome finds a result whose value at every return shows whether the effect has taken
// place there, and makes the effect depend on it:
//
//	if !s.lock() { return } // the lock is held if the result is true
func setOutcome(op *lockset.Op, returns []*ssa.Return, done []bool) {
	for j, result := range returns[0].Results {
		for _, o := range []lockset.Outcome{lockset.IfTrue, lockset.IfFalse, lockset.IfNil} {
			if o == lockset.IfNil && !ssautil.IsError(result.Type()) {
				continue
			}
			agrees := true
			for i, r := range returns {
				agrees = agrees && hasOutcome(r, j, o, done[i])
			}
			if agrees {
				op.May, op.Outcome, op.Result = false, o, j
				return
			}
		}
	}
}

// hasOutcome reports whether the value of result j at a return shows that outcome o holds,
// if want is true, or that it does not, if want is false.
func hasOutcome(r *ssa.Return, j int, o lockset.Outcome, want bool) bool {
	is := func(implied func(branch.Fact) bool) bool {
		return branch.Holds(ssautil.Returned(r, j), r.Block(), implied)
	}
	switch {
	case o == lockset.IfNil && is(branch.Fact.Nil):
		return want
	case o == lockset.IfNil:
		return !want // a computed error is assumed not to be nil
	case (o == lockset.IfTrue) == want:
		return is(branch.Fact.True)
	}
	return is(branch.Fact.False)
}
