package callgraph

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// markLate records the writes of fields of new objects in sections that begin when others can find the object. Which lock the section
// is of makes no difference; any release ends it.
func (c *construction) markLate() {
	var stored map[*ssa.Parameter]bool // the parameters that functions store; computed when it is asked for
	asked := make(map[*Node]int)
	for _, v := range c.objects {
		fillings, f := c.filled[v], c.ByFn[v.Parent()]
		if f == nil || f.Test || len(c.locked[f.ID]) == 0 {
			continue
		}
		if stored == nil {
			stored = make(map[*ssa.Parameter]bool)
			c.spread(stored, stores)
		}
		late := lateness{made: v, what: make(map[ssa.Instruction]lateStep)}
		for _, use := range *v.Referrers() {
			if stores(use, v) || slices.ContainsFunc(c.passedFor(use, v), func(prm *ssa.Parameter) bool { return stored[prm] }) {
				late.what[use] = shares
			}
		}
		if len(late.what) == 0 {
			continue
		}
		if asked[f]++; asked[f] > limit.SharedObjects {
			c.Limits.Add(Name(f.Fn), "SharedObjects")
			continue
		}
		for _, call := range c.locked[f.ID] {
			late.what[call.at] = call.step
		}
		for _, w := range fillings {
			late.what[w.at] = fills
		}
		written := late.fillings(f.Fn)
		for _, w := range fillings {
			if written[w.at] {
				c.written[w.field] = true
			}
		}
	}
}

// A lateness finds the fillings of a new object in a section that begins after the object is shared: a forward may-analysis with
// two bits, whether the object is shared and whether such a section has begun. Where the object is made both are clear.
type lateness struct {
	made ssa.Value
	what map[ssa.Instruction]lateStep
}

const (
	isShared = 1 << iota
	inLate
)

// fillings returns those of fn.
func (l *lateness) fillings(fn *ssa.Function) map[ssa.Instruction]bool {
	out := make(map[ssa.Instruction]bool)
	entry, seen := make([]uint8, len(fn.Blocks)), make([]bool, len(fn.Blocks))
	work := []*ssa.BasicBlock{l.made.(ssa.Instruction).Block()}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		state := entry[b.Index]
		for _, instr := range b.Instrs {
			state = l.after(instr, state, out)
		}
		for _, next := range b.Succs {
			if !seen[next.Index] || entry[next.Index]|state != entry[next.Index] {
				entry[next.Index] |= state
				seen[next.Index] = true
				work = append(work, next)
			}
		}
	}
	return out
}

// after returns the state after an instruction, and notes a filling.
func (l *lateness) after(instr ssa.Instruction, state uint8, out map[ssa.Instruction]bool) uint8 {
	if v, ok := instr.(ssa.Value); ok && v == l.made {
		return 0
	}
	switch l.what[instr] {
	case shares:
		return state | isShared
	case acquires:
		if state&isShared != 0 {
			return state | inLate
		}
	case releases:
		return state &^ inLate
	case fills:
		if state&inLate != 0 {
			out[instr] = true
		}
	}
	return state
}

// stores reports whether an instruction puts a reference to v where other goroutines find it.
func stores(use ssa.Instruction, v ssa.Value) bool {
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
		return ssautil.IsMadeHere(addr)
	}
	for _, use := range *at.X.Referrers() {
		list, ok := use.(*ssa.Slice)
		if !ok {
			continue
		}
		for _, use := range *list.Referrers() {
			if call, ok := use.(*ssa.Call); ok && slices.ContainsFunc(*call.Referrers(), func(use ssa.Instruction) bool { return isKept(call, use) }) {
				return false
			}
		}
	}
	return true
}

// isKept reports whether an instruction stores the list that append returns in something that the function has not made.
//
//	s.slots = append(s.slots, v)
//	s.byName[name] = append(s.byName[name], v)
func isKept(list *ssa.Call, use ssa.Instruction) bool {
	switch use := use.(type) {
	case *ssa.Store:
		return use.Val == list && !ssautil.IsMadeHere(use.Addr)
	case *ssa.MapUpdate:
		_, made := use.Map.(*ssa.MakeMap)
		return use.Value == list && !made
	}
	return false
}
