package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

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
	if !c.sameCell() || c.act.Callee != nil {
		return false
	}
	moves := func(r rival) bool { return r.writer.Effect != summary.Raises && r.runs() }
	return slices.ContainsFunc(c.act.Inputs, c.isPlaced) && c.anyRival(moves)
}

// isPlaced reports whether a list is the result of an operation on the present list at an index
// that is computed from what was read.
func (c *candidate) isPlaced(list ssa.Value) bool {
	stale := func(v ssa.Value) bool { return v != nil && c.d.f.Slice(v).HasAny(c.read.Values) }
	switch v := list.(type) {
	case *ssa.Slice:
		return !stale(v.X) && (stale(v.Low) || stale(v.High))
	case *ssa.Call:
		args := v.Call.Args
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "append" && len(args) > 0 && c.isPlaced(args[0]) // append(s[:i], s[i+1:]...)
		}
		return len(args) > 1 && !stale(args[0]) && slices.ContainsFunc(args[1:], func(a ssa.Value) bool { return ssautil.IsNumber(a.Type()) && stale(a) })
	}
	return false
}
