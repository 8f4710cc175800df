package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Ringing: a function closes the channel in a variable, which wakes all who wait for it, and puts a new one there in the same section.
//
//	b.mu.Lock(); close(b.ch); b.ch = make(chan struct{}); b.mu.Unlock()

// Rings returns, by location, the functions that write the location and then ring by the channel in variable of.
func (p *Finder) Rings(of accesspath.Location) map[accesspath.Location][]Notification {
	return pairs(p, &p.rings, func(f *process.Func) { p.findTold(f, p.bells(f, 0), p.rings) })[of]
}

// bells returns the variables with the channels by which f rings.
func (p *Finder) bells(f *process.Func, depth int) []list {
	k := listKey{f, depth}
	if known, ok := p.bellsOf[k]; ok {
		return known
	}
	p.bellsOf[k] = p.collect(f, depth, rings, p.bells)
	return p.bellsOf[k]
}

// rings reports whether the channel that e reads is closed, and replaced in the same section.
func rings(f *process.Func, e *funcsum.Event) bool {
	closed := slices.ContainsFunc(e.Values, func(v ssa.Value) bool {
		return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
			call, ok := use.(ssa.CallInstruction)
			return ok && ssautil.Builtin(call.Common()) == "close"
		})
	})
	return closed && slices.ContainsFunc(f.Events, func(w *funcsum.Event) bool {
		st, ok := w.Instr.(*ssa.Store)
		if !ok || w.Loc != e.Loc || w.Base != e.Base || !funcsum.SharePassage(w, e) {
			return false
		}
		_, made := st.Val.(*ssa.MakeChan)
		return made
	})
}
