package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/mend"
	"github.com/atomvet/atomvet/passes/summary"
)

// fixes suggests to make one step of the read and the act, where that is mechanical.
func (c *candidate) fixes() []analysis.SuggestedFix {
	if c.effect != nil || c.distant != nil || c.link == outdatedFill {
		return nil
	}
	d := c.d
	read, act := d.pos(c.read), d.pos(c.act)
	if out := mend.Operations(d.pass, read, act); out != nil {
		return out
	}
	release := d.releaseAfter(c.read, c.act, c.guard)
	if out := mend.Sections(d.pass, read, release, act, false); out != nil {
		return out
	}
	if c.category() == checkThenAct && !c.writesBetween() {
		if out := mend.SecondLook(d.pass, read, act); out != nil {
			return out
		}
	}
	return mend.Sections(d.pass, read, release, act, true)
}

// writesBetween reports whether the function itself may write what was read before it comes to
// the act.
func (c *candidate) writesBetween() bool {
	order := c.d.f.Order()
	return slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
		return w != c.act && w.Writes() && w.Loc == c.read.Loc && order.Flows(c.read.Instr, w.Instr) && order.Flows(w.Instr, c.act.Instr)
	})
}

// fixes suggests to copy the container where the reference is taken.
func (r *reference) fixes() []analysis.SuggestedFix {
	if !r.known || r.read.Callee != nil {
		return nil
	}
	return mend.Copy(r.d.pass, r.d.pos(r.read))
}
