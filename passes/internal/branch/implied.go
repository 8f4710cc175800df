package branch

import (
	"go/constant"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Implied yields the facts that hold if cond is true, or false. A constant condition
// implies no fact, on either side.
func Implied(cond ssa.Value, holds bool) iter.Seq[Fact] {
	return func(yield func(Fact) bool) { newReader().implied(cond, holds, yield) }
}

// At yields the facts that hold in b: those implied by each branch of which only one side
// reaches b, the nearest branch first.
func At(b *ssa.BasicBlock) iter.Seq[Fact] {
	return func(yield func(Fact) bool) { newReader().between(nil, b, yield) }
}

// AtIf yields the facts that hold in b if a fact does: those that it implies, and those At b.
func AtIf(b *ssa.BasicBlock, is Fact) iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		if r := newReader(); r.follow(is, yield) {
			r.between(nil, b, yield)
		}
	}
}

// Refutes reports whether the branch that is taken from a block to one of its successors excludes a fact.
func Refutes(from, to *ssa.BasicBlock, is Fact) bool {
	br, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || from.Succs[0] == from.Succs[1] {
		return false
	}
	for f := range Implied(br.Cond, from.Succs[0] == to) {
		if f.Excludes(is) {
			return true
		}
	}
	return false
}

// Holds reports whether a fact about v that satisfies asked holds at the end of b: v is a
// constant that satisfies it, or a branch implies it.
func Holds(v ssa.Value, b *ssa.BasicBlock, asked func(Fact) bool) bool {
	v = Plain(v)
	if c, ok := v.(*ssa.Const); ok {
		return asked(constantFact(c, false))
	}
	for f := range At(b) {
		if f.Subject == v && asked(f) {
			return true
		}
	}
	return false
}

// Side returns the successor of a branch on cond on which a fact that satisfies asked
// holds, or -1 if it holds on neither or on both.
func Side(cond ssa.Value, asked func(Fact) bool) int {
	side := -1
	for succ, holds := range []bool{true, false} {
		for f := range Implied(cond, holds) {
			if !asked(f) {
				continue
			}
			if side >= 0 && side != succ {
				return -1
			}
			side = succ
		}
	}
	return side
}

// TrueSide returns the successor of a branch on cond on which v is true, or -1 if the
// condition does not imply it on one side.
func TrueSide(cond, v ssa.Value) int {
	return Side(cond, func(f Fact) bool { return f.Subject == v && f.True() })
}

// Never reports whether a branch on cond never takes a successor, because cond is a
// constant: if debug { … }.
func Never(cond ssa.Value, succ int) bool {
	c, ok := cond.(*ssa.Const)
	return ok && c.Value != nil && constant.BoolVal(c.Value) == (succ == 1)
}

// A reader collects facts, with a bound on the number of conditions that it reads, as
// phis of phis can be many. Facts beyond the bound are lost.
type reader struct{ left int }

func newReader() *reader { return &reader{left: 64} }

// implied yields the facts that hold if cond is true, or false, and reports whether to
// continue.
func (r *reader) implied(cond ssa.Value, holds bool, yield func(Fact) bool) bool {
	return r.follow(Alone(cond, holds), yield)
}

// follow yields a fact, and the facts that it implies.
func (r *reader) follow(f Fact, yield func(Fact) bool) bool {
	if f.Relation == Unknown || r.left == 0 {
		return true
	}
	r.left--
	if !yield(f) {
		return false
	}
	switch v := f.Subject.(type) {
	case *ssa.Convert:
		return r.follow(widened(f, v), yield)
	case *ssa.Extract:
		if a, ok := v.Tuple.(*ssa.TypeAssert); ok && f.Present() {
			return r.follow(Fact{Subject: Plain(a.X), Relation: Differs}, yield)
		}
	case *ssa.Call:
		if err := matchedError(v); err != nil && f.True() {
			return r.follow(Fact{Subject: Plain(err), Relation: Differs}, yield)
		}
	case *ssa.Phi:
		if f.Other == nil {
			return r.joined(f, v, yield)
		}
	}
	return true
}

// matchedError returns the error that a call compares with a certain error, or with a
// type of errors, or nil if it is no such call: errors.Is(err, target).
func matchedError(c *ssa.Call) ssa.Value {
	fn := ssautil.Target(&c.Call)
	if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "errors" || fn.Name() != "Is" && fn.Name() != "As" {
		return nil
	}
	if target, ok := c.Call.Args[1].(*ssa.Const); ok && target.IsNil() {
		return nil
	}
	return c.Call.Args[0]
}

// joined yields the facts that hold on all edges of a phi on which the phi can satisfy f.
// The back edge of a loop implies facts about values of an earlier iteration, which do
// not count.
func (r *reader) joined(f Fact, phi *ssa.Phi, yield func(Fact) bool) bool {
	var known []Fact
	first := true
	for i, pred := range phi.Block().Preds {
		if phi.Block().Dominates(pred) {
			return true
		}
		along, possible := f.Along(phi.Edges[i])
		if !possible {
			continue
		}
		var way []Fact
		add := func(f Fact) bool {
			way = append(way, f)
			return true
		}
		r.follow(along, add)
		r.edge(pred, phi.Block(), add)
		r.between(phi.Block().Idom(), pred, add)
		if first {
			known, first = way, false
		} else {
			known = Common(known, way)
		}
	}
	for _, f := range known {
		if !yield(f) {
			return false
		}
	}
	return true
}

// Along returns the fact that f, about a phi or the result of a call, is about one of its operands or the value that is
// returned, and whether the fact is possible. The fact about a constant is the zero one.
func (f Fact) Along(v ssa.Value) (Fact, bool) {
	c, ok := v.(*ssa.Const)
	if !ok {
		return f.about(v), true
	}
	is := constantFact(c, f.Length)
	f.Subject = c
	return Fact{}, is.Relation == Unknown || is.Implies(f)
}

// between yields the facts at the end of b that are implied by the branches after from,
// which dominates b, or is nil.
func (r *reader) between(from, b *ssa.BasicBlock, yield func(Fact) bool) bool {
	for ; b != from && b != nil; b = b.Idom() {
		if len(b.Preds) == 1 && !r.edge(b.Preds[0], b, yield) {
			return false
		}
	}
	return true
}

// edge yields the facts that hold on the edge from a block to one of its successors.
func (r *reader) edge(from, to *ssa.BasicBlock, yield func(Fact) bool) bool {
	br, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || from.Succs[0] == from.Succs[1] {
		return true
	}
	return r.implied(br.Cond, from.Succs[0] == to, yield)
}

// Common returns the facts that hold on two edges: of two facts of which one implies the
// other, the weaker one.
func Common(a, b []Fact) []Fact {
	var out []Fact
	add := func(list, other []Fact) {
		for _, f := range list {
			implies := func(g Fact) bool { return g.Implies(f) }
			if slices.ContainsFunc(other, implies) && !slices.ContainsFunc(out, implies) {
				out = append(out, f)
			}
		}
	}
	add(a, b)
	add(b, a)
	return out
}
