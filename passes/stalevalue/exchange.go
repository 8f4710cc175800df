package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/summary"
)

// exchangesLate: what is in a place is read, and something else is put there in a later section. What was read is then taken
// for what has been replaced: it is closed, or taken off an account.
//
//	prev, ok := c.blobs.Load(name)
//	c.blobs.Store(name, b) // not prev, ok := c.blobs.Swap(name, b)
//	if ok { c.used.Add(-prev.cost) }
//
// Of two goroutines both end the same one, and what the first of them has put there is never ended.
func (p *pair) exchangesLate() bool {
	r, w := p.read, p.act
	if r.Writes() || w.Reads() || p.data || w.Delta() || w.Const != "" || w.Op&(summary.Delete|summary.Content) != 0 || r.Op&summary.Presence != 0 ||
		r.Key.HasAny() || !sameElement(r, w) || p.d.raises(w) || slices.ContainsFunc(r.Values, func(v ssa.Value) bool { return depgraph.IsContainer(v.Type()) }) {
		return false
	}
	return p.d.f.Order().Flows(r.Instr, w.Instr) && (p.isTakenOff() || p.isEndedAfter())
}

// isTakenOff reports whether some number changes after the act by an amount that is computed from what was read.
func (p *pair) isTakenOff() bool {
	return slices.ContainsFunc(p.d.f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Delta() && e.Loc != p.act.Loc && slices.Contains(e.Data, p.readIndex) && p.d.f.Order().Flows(p.act.Instr, e.Instr)
	})
}

// isEndedAfter reports whether what was read is closed after the act, or called if it is a function, such as that which cancels a
// context.
func (p *pair) isEndedAfter() bool {
	for _, b := range p.d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok || instr == p.act.Instr || !p.d.f.Order().Flows(p.act.Instr, instr) {
				continue
			}
			common := call.Common()
			object := common.Value
			if fn := common.StaticCallee(); fn != nil {
				if fn.Name() != "Close" || len(common.Args) == 0 {
					continue
				}
				object = common.Args[0]
			} else if common.IsInvoke() && common.Method.Name() != "Close" {
				continue
			}
			if slices.Contains(p.read.Values, object) {
				return true
			}
		}
	}
	return false
}
