package guards

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A lock and the data that it guards may both be parameters. The function that gets them has
// names of its own for them, and the call sites say which declared locks and locations these
// stand for:
//
//	func weight(k string, sh map[string]*int, mu *sync.RWMutex)
//
//	weight(k, in, &inMu)
//	weight(k, out, &outMu)
//
// A lock that is bound to a parameter also counts as that parameter, so that a writer under
// inMu and one under weight's mu have a guard in common. Whether the lock of a call belongs
// to its data is not asked: a function that takes both has no other use for them.
//
// Memory that no call site can name, such as a local map of the caller, is not shared, and
// the lock of an object that the function also uses does not make it so. If the lock is a
// parameter too, callers that know of both are expected to share both.

// A binding is what the call sites of a function pass for a parameter.
type binding struct {
	to []accesspath.Location
	// at are the positions of the calls.
	at []string
}

// bindParameters computes the bindings, and completes the writers of the locations and their
// guards.
func (p *Guards) bindParameters() {
	p.bound = make(map[accesspath.Location]*binding)
	for f := range p.Sharing() {
		for i, prm := range f.Fn.Params {
			if l := f.Res.Resolve(prm).Loc; l.IsParam() {
				p.bound[l] = p.bindingOf(f, i, func(a process.Argument) accesspath.Location { return a.Res.Resolve(a.Value).Loc })
			} else if l := lockset.ClassOf(prm, f.Res); l.IsParam() {
				p.bound[l] = p.bindingOf(f, i, func(a process.Argument) accesspath.Location { return lockset.ClassOf(a.Value, a.Res) })
			}
		}
	}
	for _, b := range p.bound {
		b.to = p.declared(b.to)
	}
	for l, i := range p.Locs {
		if b := p.bound[l]; b != nil {
			p.addWriters(i, b)
		}
	}
	p.aliases = p.findAliases()
	for _, i := range p.Locs {
		for k := range i.Writers {
			i.Writers[k].Guards = p.withAliases(i.Writers[k].Guards)
		}
	}
}

// bindingOf returns what the call sites of f pass for parameter i.
func (p *Guards) bindingOf(f *process.Func, i int, locate func(process.Argument) accesspath.Location) *binding {
	b := new(binding)
	for _, a := range p.Arguments(f, i) {
		b.at = append(b.at, p.Pos(ssautil.Pos(a.Call)).Text)
		if l := locate(a); l != "" && !slices.Contains(b.to, l) {
			b.to = append(b.to, l)
		}
	}
	return b
}

// declared replaces the parameters in a list by what is bound to them.
func (p *Guards) declared(list []accesspath.Location) []accesspath.Location {
	var out []accesspath.Location
	seen := make(map[accesspath.Location]bool)
	var visit func([]accesspath.Location)
	visit = func(list []accesspath.Location) {
		for _, l := range list {
			if seen[l] {
				continue
			}
			seen[l] = true
			if !l.IsParam() {
				out = append(out, l)
			} else if b := p.bound[l]; b != nil {
				visit(b.to)
			}
		}
	}
	visit(list)
	slices.Sort(out)
	return out
}

// withAliases returns a list of locks with their aliases.
func (p *Guards) withAliases(locks []accesspath.Location) []accesspath.Location {
	out := slices.Clone(locks)
	for _, l := range locks {
		out = append(out, p.aliases[l]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// findAliases returns for each lock the parameters that it is bound to, and for each
// parameter the lock that is always passed for it.
func (p *Guards) findAliases() map[accesspath.Location][]accesspath.Location {
	out := make(map[accesspath.Location][]accesspath.Location)
	for param, b := range p.bound {
		for _, l := range b.to {
			out[l] = append(out[l], param)
		}
		if len(b.to) == 1 {
			out[param] = b.to
		}
	}
	return out
}

// addWriters adds the writers of what is bound to a parameter. The calls of the function
// itself are left out: its own writes are there.
func (p *Guards) addWriters(i *fact.LocInfo, b *binding) {
	for _, l := range b.to {
		other := p.Locs[l]
		if other == nil {
			continue
		}
		for _, w := range other.Writers {
			if !slices.Contains(b.at, w.Pos.Text) {
				i.Writers = append(i.Writers, w)
			}
		}
		i.InsertOnly = i.InsertOnly && other.InsertOnly
		i.ClockOnly = i.ClockOnly && other.ClockOnly
		i.Counter = i.Counter || other.Counter
		latch(i, other.Latch)
	}
}

// bindsShared reports whether a guard may protect the memory at location l.
func (p *Guards) bindsShared(l, guard accesspath.Location) bool {
	if !l.IsParam() || guard.IsParam() {
		return true
	}
	b := p.bound[l]
	return b != nil && len(b.to) > 0
}

// mayGuardIn reports whether a lock may guard the location of an access, by the paths of the two in f, or in all
// callers of f.
func (p *Guards) mayGuardIn(f *process.Func, g lockset.Guard, e *funcsum.Event) bool {
	return mayGuard(g, e.Loc, e.Base) || g.Mode != lockset.Once && !g.Class.IsVariable() && p.InCalls(f, g.Path, e.Base, Related)
}

// mayGuard reports whether a lock may guard location l of the object at base. A lock that is
// a parameter may guard whatever the function has, and a local one the variables beside it,
// which any lock may guard. A sync.Once excludes no access that is not in its function.
func mayGuard(g lockset.Guard, l accesspath.Location, base accesspath.Path) bool {
	switch {
	case g.Mode == lockset.Once:
		return false
	case l.IsVariable() || g.Class.IsParam():
		return true
	case g.Class.IsVariable():
		return false
	}
	return Related(g.Path, base)
}
