package funcsum

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Selection is a pair of reads of which the first decides that the second is made: a
// branch on the value of the first selects the second as its partner.
//
//	s.mu.Lock(); night := s.night; s.mu.Unlock()
//	if night { return }
//	s.printer.Load().print(doc) // that of the day, if nobody has switched
type Selection struct {
	// Branch decides that the second read is made, on the side Side.
	Branch *ssa.If
	Side   int
	// Use is an instruction after the second read that has an effect by its value, and
	// Decided one that is control dependent on it; nil if there is none.
	Use, Decided ssa.Instruction
}

// Selected returns the selection of two reads, the zero one if no branch on the first
// decides about the second.
func (f *Body) Selected(first, second *Event) Selection {
	var s Selection
	for _, br := range f.Branches(second) {
		if side := f.OnlySide(br, second.Instr); side >= 0 && f.Order().Flows(first.Instr, br) && f.Slice(br.Cond).HasAny(first.Values) {
			s.Branch, s.Side = br, side
		}
	}
	if s.Branch == nil {
		return s
	}
	for _, k := range f.Sinks() {
		if !f.Order().Exists(Way{From: second.Instr, To: k.Instr, Avoid: first.Instr}) {
			continue
		}
		if s.Use == nil && (k.Data.HasAny(second.Values) || f.targets(k.Instr, second)) {
			s.Use = k.Instr
		}
		if s.Decided == nil && slices.ContainsFunc(k.Conditions, func(c Condition) bool { return c.Slice.HasAny(second.Values) }) {
			s.Decided = k.Instr
		}
	}
	return s
}

// OnlySide returns the successor of a branch through which alone it leads to an
// instruction, -1 if both do.
func (f *Body) OnlySide(br *ssa.If, to ssa.Instruction) int {
	return f.Paths().OnlySide(br, to)
}

// targets reports whether what an instruction has its effect on, besides its operands, is
// computed from a read: the function or the object that is called, or a channel that is sent to.
func (f *Body) targets(instr ssa.Instruction, read *Event) bool {
	switch instr := instr.(type) {
	case *ssa.Send:
		return f.Slice(instr.Chan).HasAny(read.Values)
	case *ssa.Select:
		return slices.ContainsFunc(instr.States, func(st *ssa.SelectState) bool {
			return st.Dir == types.SendOnly && f.Slice(st.Chan).HasAny(read.Values)
		})
	case ssa.CallInstruction:
		return f.Slice(instr.Common().Value).HasAny(read.Values)
	}
	return false
}
