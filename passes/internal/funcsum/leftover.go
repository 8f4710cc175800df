package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// leftovers returns the flags that f leaves set. In a cycle of calls there are none.
func (f *Body) leftovers() []leftover {
	if !f.leftKnown && f.State == Built {
		f.leftKnown = true
		for _, set := range f.Events {
			if l, ok := f.leftover(set); ok {
				f.left = append(f.left, l)
			}
		}
	}
	return f.left
}

func (f *Body) leftover(set *Event) (leftover, bool) {
	if op, ok := f.returned(set); ok {
		return leftover{set, op}, true
	}
	from, ok := f.acquired(set)
	if !ok || set.Empties() || len(f.clears(set)) > 0 {
		return leftover{}, false
	}
	returns := ssautil.Returns(f.Fn)
	var held []bool
	op := lockset.Op{Kind: lockset.Acquire}
	for _, r := range returns {
		has := from != nil && from.Dominates(r.Block()) || from == nil && ssautil.Precedes(set.Instr, r)
		maybe := from != nil && f.Order().Exists(Way{From: from.Instrs[0], To: r}) || from == nil && f.Order().Flows(set.Instr, r)
		if maybe && !has {
			return leftover{}, false
		}
		held = append(held, has)
		op.May = op.May || !has
	}
	if op.May && len(returns) > 0 {
		setOutcome(&op, returns, held)
	}
	return leftover{set, op}, !op.May && len(returns) > 0
}

// returned reports whether the only return of f returns the result of the atomic operation that
// sets a flag:
//
//	func (j *job) begin() bool { return j.running.CompareAndSwap(false, true) }
func (f *Body) returned(set *Event) (lockset.Op, bool) {
	if set.Callee != nil || set.Within != nil || !set.Writes() || set.Base.IsLocal() || set.Op&fact.Compare == 0 && !set.replaces || set.Empties() {
		return lockset.Op{}, false
	}
	if len(f.Fn.Blocks) > 1 {
		return lockset.Op{}, false
	}
	last := f.Fn.Blocks[0].Instrs
	r, ok := last[len(last)-1].(*ssa.Return)
	if !ok {
		return lockset.Op{}, false
	}
	for i := range r.Results {
		is := branch.Alone(ssautil.Returned(r, i), true)
		if !slices.Contains(set.Values, is.Subject) || !is.True() && !is.False() {
			continue
		}
		op := lockset.Op{Kind: lockset.Acquire, Outcome: lockset.IfTrue, Result: i}
		if is.True() != (set.Op&fact.Compare != 0) {
			op.Outcome = lockset.IfFalse
		}
		return op, true
	}
	return lockset.Op{}, false
}

// leftSet reports whether a write of a callee sets a flag that it leaves set, and returns the
// first block in which the result says so, nil if it always does.
func (f *Body) leftSet(set *Event) (*ssa.BasicBlock, bool) {
	call, ok := set.Instr.(*ssa.Call)
	if !ok {
		return nil, false
	}
	callees := slices.Clone(f.in.Callees(f, &call.Call))
	if len(callees) != 1 || callees[0].May || callees[0].Fn == nil {
		return nil, false
	}
	callees[0].Site = call
	g := f.in.of(callees[0].Fn)
	if g == f || g.Sum != set.Callee {
		return nil, false
	}
	for _, l := range g.leftovers() {
		if l.set.Loc != set.Loc || l.set.Const != set.Const || !f.isOf(callees[0], l.set, set) {
			continue
		}
		if l.op.Outcome == lockset.Always {
			return nil, true
		}
		v := ssautil.Result(call, l.op.Result)
		for br := range depgraph.Branches(f.Fn) {
			side := branch.Side(br.Cond, func(is branch.Fact) bool { return v != nil && is.Subject == v && l.op.Has(is) })
			if side >= 0 && len(br.Block().Succs[side].Preds) == 1 {
				return br.Block().Succs[side], true
			}
		}
	}
	return nil, false
}

// isOf reports whether an access of a callee is the given one in the terms of f.
func (f *Body) isOf(c callgraph.Callee, inner, e *Event) bool {
	return f.in.Translate(f, c, inner.Base) == e.Base && f.in.TranslateKey(f, c, inner.Key) == e.Key
}
