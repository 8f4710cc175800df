package funcsum

import (
	"go/constant"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A branch on the results of a callee excludes paths of the callee, and so the accesses on them:
//
//	func (q *Queue) pop() *Job {
//		q.mu.Lock()
//		defer q.mu.Unlock()
//		if len(q.jobs) == 0 {
//			return nil
//		}
//		j := q.jobs[0]
//		q.jobs = q.jobs[1:]
//		return j
//	}
//
//	if j := q.pop(); j == nil {
//		q.park() // nothing was taken
//	}

// MayHaveMade reports whether a callee may have made the access when control is in a block of f. It
// has not if each return that comes after the access has a result which the branches on the way to
// the block exclude.
func (f *Body) MayHaveMade(e *Event, at *ssa.BasicBlock) bool {
	o, ok := f.outcomeOf(e, branch.At(at))
	return !ok || slices.ContainsFunc(o.inner, func(inner *Event) bool { return o.mayFollow(inner.Instr) })
}

// MayHavePassed reports whether the callee of a call may have come by an instruction of its own when control is in a block of f.
//
//	if err := s.start(); err != nil { s.state = failed } // start returns no error after its go statement
func (f *Body) MayHavePassed(call, inner ssa.Instruction, at *ssa.BasicBlock) bool {
	o, ok := f.outcomeAt(call, branch.At(at))
	return !ok || inner.Parent() != o.in.Fn || o.mayFollow(inner)
}

// HasMade reports whether a callee has certainly made the access when control is in a block of f, or nothing is known of
// the way that it has taken: each path to a return whose results the branches on the way to the block admit goes through
// the access.
//
//	if term > n.term { n.follow(term) } // writes n.vote
//	return n.vote == ""
func (f *Body) HasMade(e *Event, at *ssa.BasicBlock) bool {
	o, ok := f.outcomeOf(e, branch.At(at))
	return !ok || !slices.ContainsFunc(o.returns, func(r *ssa.Return) bool { return o.mayReturn(r) && o.goesBy(r) })
}

// goesBy reports whether the callee may return at r without the access: a path from its entry to r avoids all of the accesses.
// A path on which the result cannot be as the caller knows it is infeasible.
func (o *outcome) goesBy(r *ssa.Return) bool {
	makes := make(map[*ssa.BasicBlock]bool)
	for _, inner := range o.inner {
		makes[inner.Instr.Block()] = true
	}
	type place struct {
		b *ssa.BasicBlock
		v ssa.Value // the result about which a fact is known, as a value at the end of b
	}
	var is branch.Fact
	start := place{b: r.Block()}
	if len(o.told) > 0 {
		is = o.told[0]
		start.v = branch.Plain(ssautil.Returned(r, resultIndex(o.call, is.Subject)))
	}
	seen := map[place]bool{start: true}
	for work := []place{start}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if makes[at.b] {
			continue
		}
		if len(at.b.Preds) == 0 {
			return true
		}
		for i, pred := range at.b.Preds {
			before := place{pred, at.v}
			if phi, ok := at.v.(*ssa.Phi); ok && phi.Block() == at.b {
				before.v = branch.Plain(phi.Edges[i])
			}
			if !seen[before] && !isRuledOut(pred, at.b, before.v, is) {
				seen[before] = true
				work = append(work, before)
			}
		}
	}
	return false
}

// isRuledOut reports whether v cannot be as a fact says on the way from a block to the next one.
func isRuledOut(from, to *ssa.BasicBlock, v ssa.Value, is branch.Fact) bool {
	is.Subject = v
	if c, ok := v.(*ssa.Const); ok {
		return branch.Of(c).Excludes(is)
	}
	return branch.Refutes(from, to, is)
}

// HasFound reports whether a callee has found the element that e reads to be present if control is in a
// block of f: the branches on the way exclude what it returns where the element is absent.
//
//	if err := s.check(k); err != nil { return err } // returns an error if s.m has no k
func (f *Body) HasFound(e *Event, at *ssa.BasicBlock) bool {
	o, ok := f.outcomeOf(e, branch.At(at))
	return ok && !slices.ContainsFunc(o.inner, func(inner *Event) bool {
		asks := false
		for br := range o.in.BranchesOn(inner.Values) {
			side := branch.Side(br.Cond, func(is branch.Fact) bool { return slices.Contains(inner.Values, is.Subject) && is.Absent() })
			if side < 0 || o.mayFollow(br.Block().Succs[side].Instrs[0]) {
				return true
			}
			asks = true
		}
		return !asks
	})
}

// An outcome is what a function knows of the way that a callee has taken: facts of its results.
type outcome struct {
	callee  callgraph.Callee
	in      *Body // the callee
	inner   []*Event
	call    *ssa.Call
	returns []*ssa.Return
	told    []branch.Fact
}

// outcomeOf returns what facts about values of f say of the callee that makes an access, with the access in
// the terms of the callee, and false if they say nothing.
func (f *Body) outcomeOf(e *Event, facts iter.Seq[branch.Fact]) (outcome, bool) {
	if e.Callee == nil {
		return outcome{}, false
	}
	o, ok := f.outcomeAt(e.Instr, facts)
	if !ok || o.in.Sum != e.Callee {
		return outcome{}, false
	}
	for _, inner := range o.in.Events {
		if inner.Loc == e.Loc && inner.Op == e.Op && f.isOf(o.callee, inner, e) {
			o.inner = append(o.inner, inner)
		}
	}
	return o, len(o.inner) > 0
}

// outcomeAt returns what facts about values of f say of the only callee of a call, and false if they say nothing.
func (f *Body) outcomeAt(instr ssa.Instruction, facts iter.Seq[branch.Fact]) (outcome, bool) {
	callee, call, ok := f.onlyCallee(instr)
	if !ok {
		return outcome{}, false
	}
	o := outcome{callee: callee, in: f.in.of(callee.Fn), call: call}
	for is := range facts {
		if resultIndex(call, is.Subject) >= 0 {
			o.told = append(o.told, is)
		}
	}
	o.returns = ssautil.Returns(o.in.Fn)
	return o, len(o.told) > 0
}

// onlyCallee returns the only function that a call is known to call, another one of the package.
func (f *Body) onlyCallee(instr ssa.Instruction) (callgraph.Callee, *ssa.Call, bool) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return callgraph.Callee{}, nil, false
	}
	callees := f.in.Callees(f, &call.Call)
	if len(callees) != 1 || callees[0].May || callees[0].Fn == nil || f.in.of(callees[0].Fn) == f {
		return callgraph.Callee{}, nil, false
	}
	return callees[0], call, true
}

// mayFollow reports whether the callee may have returned, with such results, after an instruction.
func (o *outcome) mayFollow(instr ssa.Instruction) bool {
	return slices.ContainsFunc(o.returns, func(r *ssa.Return) bool {
		return (instr == r || o.in.Order().Flows(instr, r)) && o.mayReturn(r)
	})
}

// mayReturn reports whether the results of a return are as the caller knows them.
func (o *outcome) mayReturn(r *ssa.Return) bool {
	return !slices.ContainsFunc(o.told, func(is branch.Fact) bool {
		return contradicts(o.returns, r, resultIndex(o.call, is.Subject), is)
	})
}

// resultIndex returns which result of a call v is, or -1.
func resultIndex(call *ssa.Call, v ssa.Value) int {
	if x, ok := v.(*ssa.Extract); ok && x.Tuple == call {
		return x.Index
	}
	if _, many := call.Type().(*types.Tuple); v == call && !many {
		return 0
	}
	return -1
}

// contradicts reports whether a fact of result i is not true at return r. If another return has nil,
// a value that is computed is taken not to be nil.
func contradicts(returns []*ssa.Return, r *ssa.Return, i int, is branch.Fact) bool {
	holds := func(implied func(branch.Fact) bool) bool {
		return branch.Holds(ssautil.Returned(r, i), r.Block(), implied)
	}
	switch {
	case is.Nil():
		return !holds(branch.Fact.Nil) && slices.ContainsFunc(returns, func(o *ssa.Return) bool {
			c, ok := ssautil.Returned(o, i).(*ssa.Const)
			return ok && c.IsNil()
		})
	case is.NonNil(), is.Length && is.NonEmpty(): // what is nil has no elements
		return holds(branch.Fact.Nil)
	case is.True():
		return holds(branch.Fact.False)
	case is.False():
		return holds(branch.Fact.True)
	}
	c, ok := ssautil.Returned(r, i).(*ssa.Const)
	if !ok || is.Const == nil || c.Value == nil || is.Length || c.Value.Kind() != is.Const.Kind() || c.Value.Kind() == constant.Bool {
		return false
	}
	k := branch.Fact{Subject: is.Subject, Relation: branch.Equal, Const: c.Value}
	return !k.Implies(is)
}
