package lifetime

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// takesOut reports whether a write takes an object out of a variable: an element is deleted, or
// the variable is set to another object.
func (p *Finder) takesOut(f *process.Func, w *funcsum.Event) bool {
	if !w.Writes() || w.Op&fact.Content != 0 || w.Delta() || w.Base == accesspath.Unknown && w.Callee != nil {
		return false
	}
	if info := p.Location(w.Loc); info.Constant() {
		return false
	}
	effect := f.Writer(w).Effect
	return w.Op&fact.Delete != 0 || effect == fact.Removes || w.Key == "" && effect != fact.Raises && effect != fact.Lowers
}

// Takes reports whether f, or the callee that makes the read e, takes the object that it finds
// out of the variable in the same section. To put one there that was missing is not to take it:
//
//	o := t.objects[k]
//	if o == nil {
//		o = new(object)
//		t.objects[k] = o
//	}
func (p *Finder) Takes(f *process.Func, e *funcsum.Event) bool {
	if e.Callee != nil {
		return p.inCallee(f, e, p.Takes) || e.Callee.Foreign && claimsInCallee(e)
	}
	return e.Writes() || slices.ContainsFunc(f.Events, func(w *funcsum.Event) bool {
		return w.Loc == e.Loc && p.takesOut(f, w) && funcsum.SharePassage(e, w) && f.Order().Flows(e.Instr, w.Instr) && !fillsGap(f, e, w)
	})
}

// fillsGap reports whether the write w is only made if e has found nothing.
func fillsGap(f *process.Func, e, w *funcsum.Event) bool {
	return slices.ContainsFunc(f.Branches(w), func(br *ssa.If) bool {
		side := funcsum.AbsentSide(br.Cond, e)
		return side >= 0 && br.Block().Succs[side].Dominates(w.Instr.Block())
	})
}

// inCallee reports whether a property holds for one of the reads of a callee of f that may be
// the read e of f.
func (p *Finder) inCallee(f *process.Func, e *funcsum.Event, holds func(*process.Func, *funcsum.Event) bool) bool {
	call, ok := e.Instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	for _, c := range p.Callees(f.Body, call.Common()) {
		if c.Fn == nil || p.Of(c.Fn) == f || p.Of(c.Fn).Flow == nil {
			continue
		}
		for _, r := range p.Of(c.Fn).Events {
			if r.Reads() && r.Loc == e.Loc && (r.Callee == nil || r.Depth() < e.Depth()) && holds(p.Of(c.Fn), r) {
				return true
			}
		}
	}
	return false
}
