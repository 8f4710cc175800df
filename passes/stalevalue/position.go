package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// isPosition: what was read says where in the list the act takes something out or puts
// something in.
//
//	s.mu.Lock(); i := slices.Index(s.names, name); s.mu.Unlock()
//	s.mu.Lock(); s.names = slices.Delete(s.names, i, i+1); s.mu.Unlock()
//
// If a rival removes or inserts in between, it is the place of something else. A rival that
// appends moves nothing.
func (c *candidate) isPosition() bool {
	if !c.sameCell() {
		return false
	}
	moves := func(r rival) bool { return r.writer.Effect != summary.Raises && r.runs() }
	return (c.placesHere() || c.placesInCallee()) && c.anyRival(moves)
}

func (c *candidate) placesHere() bool {
	stale := func(v ssa.Value) bool { return c.d.f.Slice(v).HasAny(c.read.Values) }
	return c.act.Callee == nil && slices.ContainsFunc(c.act.Inputs, func(list ssa.Value) bool { return isPlaced(list, stale) })
}

// placesInCallee reports whether the act is a call with a stale number, or an object of which the number is a part, by which the callee cuts
// the list, itself or by a callee of its own. An index of one element is a stale index.
//
//	batch := s.head(n)
//	s.discard(batch) // s.queue = s.queue[len(batch):]
func (c *candidate) placesInCallee() bool {
	call, ok := c.act.Instr.(*ssa.Call)
	if c.act.Callee == nil || !ok {
		return false
	}
	return c.d.cutsByArgument(c.d.f, call, c.act.Loc, func(v ssa.Value) bool { return c.d.f.Slice(v).HasAny(c.read.Values) }, make(map[*summary.Func]bool))
}

// cutsByArgument reports whether a callee of a call in f cuts the list at a location by a number that is, or is computed of, a given
// argument.
func (d *detector) cutsByArgument(f *summary.Func, call *ssa.Call, list accesspath.Location, isGiven func(ssa.Value) bool, seen map[*summary.Func]bool) bool {
	for _, g := range d.calleesIn(f, call) {
		if seen[g] || len(g.Fn.Params) != len(call.Call.Args) {
			continue
		}
		var given []ssa.Value
		for i, prm := range g.Fn.Params {
			if isGiven(call.Call.Args[i]) {
				given = append(given, prm)
			}
		}
		if len(given) == 0 {
			continue
		}
		seen[g] = true
		for _, e := range g.Events {
			if !e.Writes() || e.Loc != list {
				continue
			}
			isStale := func(v ssa.Value) bool { return isComputedFrom(g, v, given) && !isCorrected(g, e, v) }
			if next, ok := e.Instr.(*ssa.Call); ok && e.Callee != nil && d.cutsByArgument(g, next, list, isStale, seen) ||
				e.Callee == nil && slices.ContainsFunc(e.Inputs, func(v ssa.Value) bool { return isCut(v) && isPlaced(v, isStale) }) {
				return true
			}
		}
	}
	return false
}

// isComputedFrom reports whether v is computed from one of the given values without a call, which may look for the place in the
// present list:
//
//	s.queue = s.queue[slices.Index(s.queue, last):]
func isComputedFrom(g *summary.Func, v ssa.Value, given []ssa.Value) bool {
	slice := g.Slice(v)
	return slice.HasAny(given) && !slices.ContainsFunc(slice, func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		if x, isResult := v.(*ssa.Extract); isResult {
			call, ok = x.Tuple.(*ssa.Call)
		}
		return ok && ssautil.Builtin(&call.Call) == "" && g.Slice(call).HasAny(given)
	})
}

// isCorrected reports whether another field of the object is added to a position for the write w, or subtracted from it: it tells how far
// the list has moved.
//
//	s.queue = s.queue[end-s.first:]
func isCorrected(g *summary.Func, w *summary.Event, at ssa.Value) bool {
	return slices.ContainsFunc(g.Slice(at), func(v ssa.Value) bool {
		sum, ok := v.(*ssa.BinOp)
		return ok && (sum.Op == token.SUB || sum.Op == token.ADD) && slices.ContainsFunc(g.Events, func(e *summary.Event) bool {
			return e.Reads() && e.Loc != w.Loc && accesspath.Same(e.Base, w.Base) && (slices.Contains(e.Values, branch.Plain(sum.X)) || slices.Contains(e.Values, branch.Plain(sum.Y)))
		})
	})
}

// isCut reports whether a list is another one without its ends: list[i:j], slices.Delete(list, 0, n).
func isCut(list ssa.Value) bool {
	switch v := list.(type) {
	case *ssa.Slice:
		return true
	case *ssa.Call:
		return len(v.Call.Args) > 2 && ssautil.IsZero(v.Call.Args[1])
	}
	return false
}

// isPlaced reports whether a list is the result of an operation on the present list at an index that is stale.
func isPlaced(list ssa.Value, isStale func(ssa.Value) bool) bool {
	stale := func(v ssa.Value) bool { return v != nil && isStale(v) }
	switch v := list.(type) {
	case *ssa.Slice:
		return !stale(v.X) && (stale(v.Low) || stale(v.High))
	case *ssa.Call:
		args := v.Call.Args
		if b := ssautil.Builtin(&v.Call); b != "" {
			return b == "append" && len(args) > 0 && isPlaced(args[0], isStale) // append(s[:i], s[i+1:]...)
		}
		return len(args) > 1 && !stale(args[0]) && slices.ContainsFunc(args[1:], func(a ssa.Value) bool { return ssautil.IsNumber(a.Type()) && stale(a) })
	}
	return false
}

// appendsSuccessor reports whether the act appends an element that has the number which follows that of the last one, or the
// number of the elements: a rival that appends another one makes two of that number.
//
//	seq, sum := t.tip() // of the last entry
//	t.push(entry{seq: seq + 1, prev: sum}) // t.entries = append(t.entries, e)
func (c *candidate) appendsSuccessor() bool {
	if !c.sameCell() || c.act.Effect() != summary.Raises || c.act.Key != "" {
		return false
	}
	return slices.ContainsFunc(c.appendedValues(), func(v ssa.Value) bool {
		return slices.ContainsFunc(c.d.f.Slice(v), func(v ssa.Value) bool { return c.isSuccessor(v) || c.isLengthOfRead(v) })
	})
}

// appendedValues returns the values that the act appends, or of which its callee makes what it appends.
func (c *candidate) appendedValues() []ssa.Value {
	call, ok := c.act.Instr.(ssa.CallInstruction)
	if c.act.Callee == nil || !ok {
		return c.act.Added
	}
	var out []ssa.Value
	added := c.act.Callee.Accesses[c.act.Index].AddedParams
	for i, a := range call.Common().Args {
		if added&(1<<i) != 0 || added == 0 { // a struct that is given by value
			out = append(out, a)
		}
	}
	return out
}

// isSuccessor reports whether v is a number that was read, plus one.
func (c *candidate) isSuccessor(v ssa.Value) bool {
	sum, ok := v.(*ssa.BinOp)
	if !ok || sum.Op != token.ADD {
		return false
	}
	one, isConst := sum.Y.(*ssa.Const)
	return isConst && one.Value != nil && one.Value.ExactString() == "1" && slices.Contains(c.read.Values, branch.Plain(sum.X))
}

// isLengthOfRead reports whether v is the length of the list that was read.
func (c *candidate) isLengthOfRead(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	return ok && ssautil.Builtin(&call.Call) == "len" && c.isRead(call.Call.Args[0])
}
