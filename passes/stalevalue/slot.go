package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// fillsSlot: the act puts an entry into a cache of one element, because the key of the entry that was read is another one.
//
//	if e := c.last.Load(); e != nil && e.key == key { return e.value }
//	v := compute(key)
//	c.last.Store(&entry{key, v})
//
// The act may overwrite the entry of another goroutine. A reader compares the key before it uses the value, so that any entry is
// right, and a missing one only costs a computation. The rule does not hold for an order of keys (e.key >= key), nor if a rival
// stores an entry that it has not computed for its key.
func (c *candidate) fillsSlot() bool {
	w := c.act
	if w.Callee != nil || w.Within != nil || w.Key != "" || len(w.Inputs) == 0 || c.hasOtherWrites(c.d.isOfPackage) || c.hasVisibleEffects() {
		return false
	}
	entry, made := put(w).(*ssa.Alloc)
	if !made || c.anyRival(func(r rival) bool { return r.writer.Fn != c.d.f.ID && !empties(r.writer) }) {
		return false
	}
	compared := make(map[ssa.Value]bool)
	for br := range c.d.f.BranchesOn(c.read.Values) {
		if c.comparesKey(br.Cond, entry) {
			compared[br.Cond] = true
		}
	}
	return slices.ContainsFunc(c.d.f.Branches(w), func(br *ssa.If) bool { return compared[br.Cond] }) && !c.usesEntry(compared)
}

// comparesKey reports whether a condition says that a field of the entry that was read is equal to what is stored in that field of the
// new entry, by an operator or by a method Equal.
func (c *candidate) comparesKey(cond ssa.Value, entry *ssa.Alloc) bool {
	if call, ok := cond.(*ssa.Call); ok {
		args := call.Call.Args
		if call.Call.IsInvoke() {
			args = append([]ssa.Value{call.Call.Value}, args...)
		}
		fn := ssautil.Method(&call.Call)
		return fn != nil && fn.Name() == "Equal" && len(args) == 2 && (c.isKey(args[0], args[1], entry) || c.isKey(args[1], args[0], entry))
	}
	is := branch.Alone(cond, true)
	return is.Other != nil && (is.Relation == branch.Equal || is.Relation == branch.Differs) &&
		(c.isKey(is.Subject, is.Other, entry) || c.isKey(is.Other, is.Subject, entry))
}

// isKey reports whether v is a field of the entry that was read, and key is what is stored in that field of the new entry.
func (c *candidate) isKey(v, key ssa.Value, entry *ssa.Alloc) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	if !ok || !slices.Contains(c.read.Values, field.X) {
		return false
	}
	return slices.ContainsFunc(ssautil.Uses(entry), func(use ssa.Instruction) bool {
		to, ok := use.(*ssa.FieldAddr)
		return ok && to.Field == field.Field && slices.ContainsFunc(ssautil.Uses(to), func(use ssa.Instruction) bool {
			st, ok := use.(*ssa.Store)
			return ok && st.Addr == to && st.Val == key
		})
	})
}

// isOfPackage reports whether an access is to a variable of the package.
func (d *detector) isOfPackage(e *summary.Event) bool { return e.Loc.Pkg() == d.pass.Pkg.Path() }

// usesEntry reports whether the entry that was read is used where no comparison of its key decides.
func (c *candidate) usesEntry(compared map[ssa.Value]bool) bool {
	return slices.ContainsFunc(c.d.f.Sinks(), func(k summary.Sink) bool {
		v, _ := k.Instr.(ssa.Value)
		return k.Data.HasAny(c.read.Values) && !compared[v] && !c.d.f.DecidedBy(k.Instr.Block(), compared)
	})
}
