package stalevalue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

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

// placesInCallee reports whether the act is a call with a stale number, by which the callee cuts the list. An index of one
// element is a stale index.
//
//	batch := s.head(n)
//	s.discard(len(batch)) // s.queue = s.queue[n:]
func (c *candidate) placesInCallee() bool {
	call, ok := c.act.Instr.(*ssa.Call)
	if c.act.Callee == nil || !ok {
		return false
	}
	for _, g := range c.d.calleesAt(call) {
		if len(g.Fn.Params) != len(call.Call.Args) {
			continue
		}
		for i, prm := range g.Fn.Params {
			if !ssautil.IsNumber(prm.Type()) || !c.d.f.Slice(call.Call.Args[i]).HasAny(c.read.Values) {
				continue
			}
			given := func(v ssa.Value) bool { return g.Slice(v).Has(prm) }
			if slices.ContainsFunc(g.Events, func(e *summary.Event) bool {
				return e.Writes() && e.Callee == nil && e.Loc == c.act.Loc && slices.ContainsFunc(e.Inputs, func(list ssa.Value) bool {
					_, cut := list.(*ssa.Slice)
					return cut && isPlaced(list, given)
				})
			}) {
				return true
			}
		}
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
