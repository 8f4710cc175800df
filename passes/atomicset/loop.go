package atomicset

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// retried returns the locations whose values a loop with the given head does not carry
// from one iteration to the next: for these an iteration is a retry.
func (b *builder) retried(head *ssa.BasicBlock) []int {
	if known, ok := b.loops[head]; ok {
		return known
	}
	back := func(p *ssa.BasicBlock) bool { return head.Dominates(p) }
	var out []int
	if slices.ContainsFunc(head.Preds, back) {
		for i := range b.t.m.Locations {
			out = append(out, i)
		}
	}
	for _, instr := range head.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		for i, v := range phi.Edges {
			if back(head.Preds[i]) {
				kept := b.read(b.in.f.Slice(v))
				out = slices.DeleteFunc(out, func(l int) bool { return kept[l] })
			}
		}
	}
	b.loops[head] = out
	return out
}

// read returns the locations that some values may have been read from: those of the
// accesses among them, and all locations if there are calls.
func (b *builder) read(values []ssa.Value) map[int]bool {
	out := make(map[int]bool)
	for _, v := range values {
		instr, ok := v.(ssa.Instruction)
		if e, isResult := v.(*ssa.Extract); isResult {
			instr, ok = e.Tuple.(ssa.Instruction)
		}
		if !ok {
			continue
		}
		for _, s := range b.steps[instr] {
			switch s.Kind {
			case summary.AccessStep:
				if i := b.t.set.accessed(b.sym(s.Event.MemberPath()), s.Event.Loc); i >= 0 {
					out[i] = true
				}
			case summary.CallStep, summary.ArgumentStep:
				for i := range b.t.m.Locations {
					out[i] = true
				}
			}
		}
	}
	return out
}
