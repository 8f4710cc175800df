package branch

import (
	"go/constant"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Implied yields what is known if cond is true, or false. A condition that is a
// constant implies nothing, on either side.
func Implied(cond ssa.Value, holds bool) iter.Seq[Fact] {
	return func(yield func(Fact) bool) { newReader().implied(cond, holds, yield) }
}

// At yields what is known in b: what the branches imply that b is only reached by one
// side of, the nearest one first.
func At(b *ssa.BasicBlock) iter.Seq[Fact] {
	return func(yield func(Fact) bool) { newReader().between(nil, b, yield) }
}

// Holds reports whether what is asked for is known of v at the end of b: it is a constant
// of which that is true, or a branch says so.
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

// Side returns the successor of a branch on cond on which what is asked for is known,
// or -1 if that is neither or both.
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
// condition does not tell.
func TrueSide(cond, v ssa.Value) int {
	return Side(cond, func(f Fact) bool { return f.Subject == v && f.True() })
}

// Never reports whether a branch on cond never goes to a successor, as cond is a
// constant: if debug { … }.
func Never(cond ssa.Value, succ int) bool {
	c, ok := cond.(*ssa.Const)
	return ok && c.Value != nil && constant.BoolVal(c.Value) == (succ == 1)
}

// A reader collects facts, with a bound on how many conditions it reads: those that join
// others, which join others, can be many. What it leaves out is not known.
type reader struct{ left int }

func newReader() *reader { return &reader{left: 64} }

// implied yields what is known if cond is true, or false, and reports whether to go on.
func (r *reader) implied(cond ssa.Value, holds bool, yield func(Fact) bool) bool {
	return r.follow(Alone(cond, holds), yield)
}

// follow yields a fact, and what follows from it.
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

// matchedError returns the error that a call asks if it is a certain one, or one of a
// certain type, or nil: errors.Is(err, target).
func matchedError(c *ssa.Call) ssa.Value {
	fn := c.Call.StaticCallee()
	if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "errors" || fn.Name() != "Is" && fn.Name() != "As" {
		return nil
	}
	if target, ok := c.Call.Args[1].(*ssa.Const); ok && target.IsNil() {
		return nil
	}
	return c.Call.Args[0]
}

// joined yields what all the ways imply on which a joined value is as f says. One that
// goes round a loop would say something about values of an earlier round.
func (r *reader) joined(f Fact, phi *ssa.Phi, yield func(Fact) bool) bool {
	var known []Fact
	first := true
	for i, pred := range phi.Block().Preds {
		if phi.Block().Dominates(pred) {
			return true
		}
		along, possible := f.along(phi.Edges[i])
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
			known = common(known, way)
		}
	}
	for _, f := range known {
		if !yield(f) {
			return false
		}
	}
	return true
}

// along returns what a joined value being as f says means for one of the values that it
// is joined of, and whether that can be so.
func (f Fact) along(v ssa.Value) (Fact, bool) {
	c, ok := v.(*ssa.Const)
	if !ok {
		return f.about(v), true
	}
	is := constantFact(c, f.Length)
	f.Subject = c
	return Fact{}, is.Relation == Unknown || is.Implies(f)
}

// between yields what is known at the end of b of the branches behind from, which
// dominates b, or is nil.
func (r *reader) between(from, b *ssa.BasicBlock, yield func(Fact) bool) bool {
	for ; b != from && b != nil; b = b.Idom() {
		if len(b.Preds) == 1 && !r.edge(b.Preds[0], b, yield) {
			return false
		}
	}
	return true
}

// edge yields what is known on the way from a block to one of its successors.
func (r *reader) edge(from, to *ssa.BasicBlock, yield func(Fact) bool) bool {
	br, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || from.Succs[0] == from.Succs[1] {
		return true
	}
	return r.implied(br.Cond, from.Succs[0] == to, yield)
}

// common returns what is known on two ways: of two facts of which one implies the
// other, the weaker one.
func common(a, b []Fact) []Fact {
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
