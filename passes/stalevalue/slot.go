package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// fillsSlot: the act puts an entry into a cache of one place, for which it has not found what it looks for, and the entry has what it
// is looked for by.
//
//	if e := c.last.Load(); e != nil && e.key == key { return e.value }
//	v := compute(key)
//	c.last.Store(&entry{key, v})
//
// Another entry in between is overwritten, which costs its owner a computation: who reads the place compares the key first, so that
// each entry is as good as any other. It does not hold if others change what is there for another reason than to give it up.
func (c *candidate) fillsSlot() bool {
	w := c.act
	if w.Callee != nil || w.Within != nil || w.Key != "" || len(w.Inputs) == 0 || c.hasOtherWrites(c.d.isOfPackage) || c.hasVisibleEffects() {
		return false
	}
	if _, made := put(w).(*ssa.Alloc); !made || c.anyRival(func(r rival) bool { return r.writer.Fn != c.d.f.ID && !empties(r.writer) }) {
		return false
	}
	keys := slices.DeleteFunc(contents(put(w)), func(v ssa.Value) bool { return !isNoConstant(v) || c.d.f.Slice(v).HasAny(c.read.Values) })
	return slices.ContainsFunc(c.d.f.Branches(w), func(br *ssa.If) bool {
		cond := c.d.f.Slice(br.Cond)
		return cond.HasAny(c.read.Values) && cond.HasAny(keys)
	}) && c.onlyLooksByKey(keys)
}

// isOfPackage reports whether an access is to a variable of the package: what others keep for themselves is their own matter.
func (d *detector) isOfPackage(e *summary.Event) bool { return e.Loc.Pkg() == d.pass.Pkg.Path() }

// onlyLooksByKey reports whether all that is read of the entry is read for the comparison, or after it.
func (c *candidate) onlyLooksByKey(keys []ssa.Value) bool {
	compared := make(map[ssa.Value]bool)
	for br := range c.d.f.BranchesOn(c.read.Values) {
		if c.d.f.Slice(br.Cond).HasAny(keys) {
			compared[br.Cond] = true
		}
	}
	return !slices.ContainsFunc(c.d.f.Sinks(), func(k summary.Sink) bool {
		return k.Data.HasAny(c.read.Values) && !compared[valueOf(k.Instr)] && !c.d.f.DecidedBy(k.Instr.Block(), compared)
	})
}

// valueOf returns the value of an instruction that has one, or nil.
func valueOf(instr ssa.Instruction) ssa.Value {
	v, _ := instr.(ssa.Value)
	return v
}
