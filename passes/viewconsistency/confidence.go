package viewconsistency

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// manyVars is the number of variables from which on it says little that a view has
// two of them together.
const manyVars = 8

// doubts lists what speaks against a split: not that it is none, but that it does
// harm.
func (d *detector) doubts(s *split) finding.Doubts {
	if !readWrite || !correlation {
		return nil
	}
	var out finding.Doubts
	out.Strong(d.pkg.InTest(d.f), finding.Sequential)
	out.Strong(s.first.Deep() || s.second.Deep() || s.category == splitRead && max(s.first.Depth(), s.second.Depth()) > 1, finding.Deep)
	out.Strong(len(s.view.Vars) >= manyVars, "the two are together in one that has many")
	out.Strong(s.category == splitRead && d.apartElsewhere(s), "most others write only one of the two")
	out.Strong(s.category == splitRead && s.removed(), "what they tell of is only removed")
	out.Strong(s.category == splitRead && (s.second.Tested() || d.asksObject(s)), "the second is asked whether it is there")
	out.Slight(s.category == splitRead && !d.combined(s), "nothing is computed from the two")
	return out
}

// apartElsewhere reports whether most of the regions that write one of the two
// variables, or most of the functions, do not write the other. Functions are asked for
// if the two are fields of one struct: two structs have each their own.
func (d *detector) apartElsewhere(s *split) bool {
	x, y := s.first.Loc, s.second.Loc
	switch {
	case s.view.Kind != summary.WriteView || s.view.Nested:
		return false
	case d.pkg.Loose(x, y):
		return true
	case x.Type() != y.Type():
		return false
	}
	one, two := writers(d.pkg.Location(x)), writers(d.pkg.Location(y))
	both := 0
	for name := range one {
		if two[name] {
			both++
		}
	}
	return 2*both < max(len(one), len(two))
}

// writers returns the names of the functions that write a location.
func writers(info *summary.LocInfo) map[string]bool {
	out := make(map[string]bool)
	for _, w := range info.Writers {
		out[w.Func] = true
	}
	return out
}

// removed reports whether the code that has the view only takes away what the two
// variables tell of.
func (s *split) removed() bool { return s.view.Takes(s.first.Loc) && s.view.Takes(s.second.Loc) }

// asksObject reports whether the second read is of a flag of the object that was looked
// up first: whether that is still good.
func (d *detector) asksObject(s *split) bool {
	if s.first.Key == "" || !s.second.Base.Within(s.first.MemberPath().Index(s.first.Key)) {
		return false
	}
	for br := range depgraph.Branches(d.f.Fn) {
		if slices.ContainsFunc(s.second.Values, func(v ssa.Value) bool { return lockset.TrueSide(br.Cond, v) >= 0 }) {
			return true
		}
	}
	return false
}

// combined reports whether something is computed from both values of a split read,
// or decided by both.
func (d *detector) combined(s *split) bool {
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			var x, y ssa.Value
			switch instr := instr.(type) {
			case *ssa.BinOp:
				x, y = instr.X, instr.Y
			case *ssa.Lookup:
				x, y = instr.X, instr.Index
			case *ssa.IndexAddr:
				x, y = instr.X, instr.Index
			default:
				continue
			}
			one, two := d.pkg.Slice(d.f, x), d.pkg.Slice(d.f, y)
			if one.HasAny(s.first.Values) && two.HasAny(s.second.Values) || two.HasAny(s.first.Values) && one.HasAny(s.second.Values) {
				return true
			}
		}
	}
	return d.bothDecide(s)
}

// bothDecide reports whether branches on both values decide about one instruction.
func (d *detector) bothDecide(s *split) bool {
	for _, b := range d.f.Fn.Blocks {
		one, two := false, false
		for _, br := range d.pkg.DirectBranches(b) {
			slice := d.pkg.Slice(d.f, br.Cond)
			one = one || slice.HasAny(s.first.Values)
			two = two || slice.HasAny(s.second.Values)
		}
		if one && two {
			return true
		}
	}
	return false
}
