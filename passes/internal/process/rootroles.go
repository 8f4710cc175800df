package process

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// Two roots with a role in common do not run at the same time (see Confined), and neither does what they call, whoever else may
// call that.
//
//	func (r *Runner) Restore() { r.local = r.load(); r.setHandle(h) } // no lock round r.local
//	func (r *Runner) Run()     { … r.mu.Lock(); r.local = l; r.mu.Unlock() … r.setHandle(h) … }

// roleApart reports whether two activities are run by the roots i and j, which have a role in common on the object of both.
func (p *Processes) roleApart(i int, a Activity, j int, b Activity) bool {
	if i == j {
		return false
	}
	for _, at := range p.commonRoles(i, j) {
		if p.isPartOf(i, at[0], a) && p.isPartOf(j, at[1], b) {
			return true
		}
	}
	return false
}

// commonRoles returns the objects on which two roots have a role in common, in the terms of each.
func (p *Processes) commonRoles(i, j int) [][2]accesspath.Path {
	key := [2]int{i, j}
	if out, ok := p.rootRoles[key]; ok {
		return out
	}
	var out [][2]accesspath.Path
	f, g := p.Funcs[p.Procs.roots[i].Func], p.Funcs[p.Procs.roots[j].Func]
	if !p.Procs.calledBack(f.ID) && !p.Procs.calledBack(g.ID) {
		for _, r := range p.rolesOf(f) {
			for _, q := range p.rolesOf(g) {
				if at := [2]accesspath.Path{r.base, q.base}; r.excludes(q, f == g) && f.isOwn(r.base) && g.isOwn(q.base) && !slices.Contains(out, at) {
					out = append(out, at)
				}
			}
		}
	}
	if p.rootRoles == nil {
		p.rootRoles = make(map[[2]int][][2]accesspath.Path)
	}
	p.rootRoles[key] = out
	return out
}

// isPartOf reports whether an activity of root i is on the object that has the path own there, or on a part of it.
func (p *Processes) isPartOf(i int, own accesspath.Path, a Activity) bool {
	return slices.ContainsFunc(p.objectIn(i, own)[a.F.ID], func(at accesspath.Path) bool { return p.covers(a.F, role{base: at}, a.Base) })
}

// objectIn returns, for each function that root i reaches, its parameters and free variables that name the object at own.
func (p *Processes) objectIn(i int, own accesspath.Path) map[int]owned {
	key := rootObject{i, own}
	in, ok := p.rootObjects[key]
	if !ok {
		root := p.Procs.roots[i].Func
		in = map[int]owned{root: {own}}
		p.handOn(in, p.reachedFrom(root))
		if p.rootObjects == nil {
			p.rootObjects = make(map[rootObject]map[int]owned)
		}
		p.rootObjects[key] = in
	}
	return in
}
