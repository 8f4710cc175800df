package callgraph

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A filling is a write of a field of a new object by the function that has made it. In a critical section that
// begins when others can find the object, it does not belong to the construction:
//
//	s := new(slot)
//	if err := reserve(name, s); err != nil { return err } // table[name] = s
//	s.mu.Lock(); s.h = h; s.mu.Unlock()
//
// Without a lock, those who find the object have to wait until it is complete: the entry of a call in flight is filled in
// before its channel is closed.
type filling struct {
	at    *ssa.FieldAddr
	field *types.Var
}

// markLate records the writes of fields of new objects that others can find by then.
func (c *construction) markLate() {
	var kept map[*ssa.Parameter]bool // computed when it is asked for
	for v, fillings := range c.filled {
		f := c.ByFn[v.Parent()]
		if f == nil || f.Test || len(c.locked[f.ID]) == 0 {
			continue
		}
		if kept == nil {
			kept = make(map[*ssa.Parameter]bool)
			c.spread(kept, keeps)
		}
		late := c.lockedLate(f, v, kept)
		for _, w := range fillings {
			if slices.ContainsFunc(late, func(lock ssa.CallInstruction) bool { return ssautil.Precedes(lock, w.at) }) {
				c.written[w.field] = true
			}
		}
	}
}

// lockedLate returns the calls of f that take a lock when others can find the new object v.
func (c *construction) lockedLate(f *Node, v ssa.Value, kept map[*ssa.Parameter]bool) []ssa.CallInstruction {
	shared := slices.DeleteFunc(slices.Clone(*v.Referrers()), func(use ssa.Instruction) bool {
		return !keeps(use, v) && !slices.ContainsFunc(c.passedFor(use, v), func(prm *ssa.Parameter) bool { return kept[prm] })
	})
	return slices.DeleteFunc(slices.Clone(c.locked[f.ID]), func(lock ssa.CallInstruction) bool {
		return !slices.ContainsFunc(shared, func(use ssa.Instruction) bool { return follows(f, use, lock, v) })
	})
}

// keeps reports whether an instruction puts a reference to v where other goroutines find it.
func keeps(use ssa.Instruction, v ssa.Value) bool {
	switch use := use.(type) {
	case *ssa.Store:
		return use.Val == v && !isOwn(use.Addr)
	case *ssa.MapUpdate:
		_, made := use.Map.(*ssa.MakeMap)
		return use.Map != v && !made
	case *ssa.Send:
		return use.X == v
	case *ssa.Go:
		return true
	}
	return false
}

// isOwn reports whether an address is one of a variable or an object that the function has made, or of a list that it appends to
// one of those.
func isOwn(addr ssa.Value) bool {
	at, ok := addr.(*ssa.IndexAddr)
	if !ok || !ssautil.IsVariadicArray(at.X) {
		_, made := ssautil.Whole(addr).(*ssa.Alloc)
		return made
	}
	for _, use := range *at.X.Referrers() {
		list, ok := use.(*ssa.Slice)
		if !ok {
			continue
		}
		for _, use := range *list.Referrers() {
			if call, ok := use.(*ssa.Call); ok && slices.ContainsFunc(*call.Referrers(), func(use ssa.Instruction) bool {
				st, ok := use.(*ssa.Store)
				return ok && st.Val == call && !isOwn(st.Addr)
			}) {
				return false
			}
		}
	}
	return true
}
