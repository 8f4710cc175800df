package stalevalue

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// growsForNextLook: the act only adds an element to a container in which nothing suitable
// was found, and control goes back to the search before anything is done with the element.
//
//	for {
//		s.mu.Lock()
//		for _, c := range s.conns {
//			if c.free() { c.used = true; s.mu.Unlock(); return c }
//		}
//		s.mu.Unlock()
//		c := dial()
//		s.mu.Lock(); s.conns = append(s.conns, c); s.mu.Unlock()
//	}
//
// What the function works on is found by the search, in the section of that. A rival in
// between makes one element too many, unless the decision was by their number.
func (c *candidate) growsForNextLook() bool {
	if c.act.Callee != nil || len(c.act.Added) == 0 || c.read.Loc != c.act.Loc || c.data || c.read.Callee != nil {
		return false
	}
	for _, br := range c.d.f.Branches(c.act) {
		if c.d.f.Slice(br.Cond).HasAny(c.lists()) && !boundsLoop(br) && c.d.countsElements(br.Cond, c.lists()) {
			return false
		}
	}
	return c.d.comesBefore(c.read.Instr, c.act.Instr)
}

// boundsLoop reports whether a branch is the end of a loop over the elements of a slice.
func boundsLoop(br *ssa.If) bool { return strings.HasPrefix(br.Block().Comment, "rangeindex") }

// countsElements reports whether a condition depends on the length of one of the lists.
func (d *detector) countsElements(cond ssa.Value, lists []ssa.Value) bool {
	return slices.ContainsFunc(d.f.Slice(cond), func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		if !ok {
			return false
		}
		return ssautil.Builtin(&call.Call) == "len" && slices.Contains(lists, call.Call.Args[0]) && !onlyBoundsLoop(call)
	})
}

// onlyBoundsLoop reports whether a length is only the bound of a loop over the elements.
func onlyBoundsLoop(length *ssa.Call) bool {
	return !slices.ContainsFunc(*length.Referrers(), func(use ssa.Instruction) bool {
		cmp, ok := use.(*ssa.BinOp)
		return !ok || slices.ContainsFunc(*cmp.Referrers(), func(use ssa.Instruction) bool {
			br, ok := use.(*ssa.If)
			return !ok || !boundsLoop(br)
		})
	})
}

// comesBefore reports whether control only leaves the function after an instruction at by
// way of an instruction look.
func (d *detector) comesBefore(look, at ssa.Instruction) bool {
	for _, b := range d.f.Fn.Blocks {
		last := b.Instrs[len(b.Instrs)-1]
		switch last.(type) {
		case *ssa.Return, *ssa.Panic:
			if d.f.Order().Exists(summary.Way{From: at, To: last, Avoid: look}) {
				return false
			}
		}
	}
	return d.f.Order().Flows(at, look)
}
