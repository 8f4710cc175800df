package atomicset

import (
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/summary"
)

// A candidate is a path by which a function reaches an object with the set. The object
// may be the one that the model follows.
type candidate struct {
	fn   *summary.Func
	base accesspath.Path
	// as is what the path denotes in that case: the object, or a struct embedded in it.
	as accesspath.Path
}

// candidates finds the paths by which functions, and their callees, access members of a
// set.
type candidates struct {
	pkg  *summary.Package
	set  *atomicSet
	memo map[*summary.Func][]candidate
	// made are the objects that functions allocate.
	made []candidate
	// calls are the callees of each function, and leading, for each candidate, the
	// functions that reach it other than through a parameter.
	calls   map[*summary.Func][]*summary.Func
	leading map[candidate]map[*summary.Func]bool
}

func newCandidates(pkg *summary.Package, set *atomicSet) *candidates {
	return &candidates{pkg: pkg, set: set, memo: make(map[*summary.Func][]candidate),
		calls: make(map[*summary.Func][]*summary.Func), leading: make(map[candidate]map[*summary.Func]bool)}
}

// of returns the paths in the terms of f: those that start at its parameters and free
// variables, and package variables.
func (c *candidates) of(f *summary.Func) []candidate {
	if list, ok := c.memo[f]; ok {
		return list
	}
	c.memo[f] = nil // for a recursive call
	var out []candidate
	add := func(base, as accesspath.Path) {
		if outer, ok := strings.CutSuffix(string(base), string(as[len(as.Root()):])); ok && !as.IsGlobal() {
			base, as = accesspath.Path(outer), as.Root() // the enclosing object has a path, too
		}
		cand := candidate{f, base, as}
		switch {
		case base == accesspath.Unknown || base.HasAny():
		case base.IsFresh():
			if !slices.Contains(c.made, cand) {
				c.made = append(c.made, cand)
			}
		case base.IsLocal():
		case len(out) < limit.SetCandidates && !slices.Contains(out, cand):
			out = append(out, cand)
		}
	}
	steps := c.pkg.Steps(f)
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			for _, s := range steps[instr] {
				if s.Kind == summary.AccessStep {
					c.access(s.Event, add)
				}
				for _, callee := range s.Callees {
					if s.Kind == summary.SpawnStep {
						continue // it runs in a process of its own
					}
					c.calls[f] = append(c.calls[f], c.pkg.Of(callee))
					c.arguments(f, callee, add)
					for _, inner := range c.of(c.pkg.Of(callee)) {
						add(callee.Translate(inner.base), inner.as)
					}
				}
			}
		}
	}
	c.memo[f] = out
	return out
}

// arguments adds the paths in the functions that are arguments of a call, and that the
// callee may call.
func (c *candidates) arguments(f *summary.Func, callee summary.Callee, add func(base, as accesspath.Path)) {
	for i := range callee.Func.Fn.Params {
		lits, _ := callee.Argument(i)
		for _, lit := range lits {
			c.calls[f] = append(c.calls[f], c.pkg.Of(lit))
			for _, inner := range c.of(c.pkg.Of(lit)) {
				add(lit.Translate(inner.base), inner.as)
			}
		}
	}
}

// access adds the object of an access to a member.
func (c *candidates) access(e *summary.Event, add func(base, as accesspath.Path)) {
	for _, m := range c.set.has(e.Loc) {
		if m.sel == "" {
			// All variables of the package belong to one object.
			first := c.set.members[0].path()
			add(first, first)
			continue
		}
		inner := m.inner()
		if outer, ok := strings.CutSuffix(string(e.Base), inner); ok {
			add(accesspath.Path(outer), object)
		} else {
			add(e.Base, object+accesspath.Path(inner))
		}
	}
}

// leads reports whether f reaches the object other than through a parameter: through a
// package variable, or because f or a callee allocates it.
func (c *candidates) leads(f *summary.Func, cand candidate) bool {
	if !cand.base.IsGlobal() && !cand.base.IsFresh() {
		return false
	}
	set := c.leading[cand]
	if set == nil {
		set = c.findLeading(cand)
		c.leading[cand] = set
	}
	return set[f]
}

// findLeading finds the functions that lead to a candidate.
func (c *candidates) findLeading(cand candidate) map[*summary.Func]bool {
	set := make(map[*summary.Func]bool)
	callers := make(map[*summary.Func][]*summary.Func)
	var work []*summary.Func
	for _, g := range c.pkg.Funcs {
		isIt := func(own candidate) bool { return own.base == cand.base && own.base.IsGlobal() }
		if slices.ContainsFunc(c.of(g), isIt) || g == cand.fn && cand.base.IsFresh() {
			set[g] = true
			work = append(work, g)
		}
		for _, h := range c.calls[g] {
			callers[h] = append(callers[h], g)
		}
	}
	for len(work) > 0 {
		g := work[len(work)-1]
		work = work[:len(work)-1]
		for _, h := range callers[g] {
			if !set[h] {
				set[h] = true
				work = append(work, h)
			}
		}
	}
	return set
}
