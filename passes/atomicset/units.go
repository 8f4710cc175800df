package atomicset

import (
	"go/types"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// units decides which functions are units of work, and for which objects: by default the
// exported methods of the type with the set, for their receiver. A unit should be one
// atomic step for the set.
type units struct {
	pkg *summary.Package
	set *atomicSet
	dir *directives
	// all says that every exported function is a unit, for all objects that it reaches:
	// this is assumed for inferred sets. closed says that the package is a program, where
	// export has no meaning: every function with accesses outside of loops is a unit, see
	// step.
	all, closed bool
	cands       *candidates
}

// step reports whether f is declared, and accesses the set, or calls a function that
// does, outside of loops. A function that does so only in loops is a sequence of units.
func (u *units) step(f *summary.Func) bool {
	if declared(f) == nil || f.Fn.Name() == "main" {
		return false
	}
	for instr, list := range u.pkg.Steps(f) {
		if f.Paths().Reaches(instr, instr) {
			continue
		}
		for _, s := range list {
			if s.Kind == summary.AccessStep && len(u.set.has(s.Event.Loc)) > 0 {
				return true
			}
			for _, c := range s.Callees {
				if s.Kind != summary.SpawnStep && len(u.cands.of(u.pkg.Of(c))) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// declared returns the declaration of f, or nil for a literal.
func declared(f *summary.Func) *types.Func {
	obj, _ := f.Fn.Object().(*types.Func)
	if obj != nil {
		obj = obj.Origin()
	}
	return obj
}

// explicit reports whether a directive makes f a unit.
func (u *units) explicit(f *summary.Func) bool {
	d := u.dir.units[declared(f)]
	return d != nil && d.unit
}

// isUnit reports whether f is a unit for the object with path cand in f.
func (u *units) isUnit(f *summary.Func, cand candidate) bool {
	d := u.dir.units[declared(f)]
	switch {
	case d != nil && d.not:
		return false
	case d != nil && d.covers(cand.base.Root()):
		return true
	case d != nil && d.unit && (f.Fn.Signature.Recv() == nil || cand.base.IsGlobal() || cand.base.Root() == accesspath.Param(0)):
		return true
	case u.byDefault(f, cand):
		return true
	}
	// Accesses of a unit to the fields of another object are a part of it.
	return (d != nil && d.unit || f.Public() && f.Fn.Signature.Recv() != nil) && u.touches(f, cand)
}

// byDefault reports whether f is a unit without a directive.
func (u *units) byDefault(f *summary.Func, cand candidate) bool {
	switch {
	case u.all && u.closed:
		return u.step(f)
	case !f.Public():
		return false
	case u.all || u.set.owner == "":
		return true
	}
	return f.Fn.Signature.Recv() != nil && cand.base == accesspath.Param(0)
}

// touches reports whether f accesses members of the object itself.
func (u *units) touches(f *summary.Func, cand candidate) bool {
	for _, list := range u.pkg.Steps(f) {
		for _, s := range list {
			if s.Kind == summary.AccessStep && s.Event.Callee == nil && s.Event.Base == cand.base && len(u.set.has(s.Event.Loc)) > 0 {
				return true
			}
		}
	}
	return false
}

// forParam reports whether f, called by another function, is a unit for the
// object if that is its parameter i.
func (u *units) forParam(f *summary.Func, i int) bool {
	if u.set.owner == "" {
		return u.isUnit(f, candidate{base: u.set.members[0].path()})
	}
	return u.isUnit(f, candidate{fn: f, base: accesspath.Param(i), as: object})
}

// A unitDirective has the directives on a function.
type unitDirective struct {
	unit, not bool
	params    []int // parameters of unitfor
}

// covers reports whether unitfor names the parameter at root.
func (d *unitDirective) covers(root accesspath.Path) bool {
	return slices.ContainsFunc(d.params, func(i int) bool { return root == accesspath.Param(i) })
}
