package process

import (
	"slices"

	"github.com/atomvet/atomvet/passes/closedworld"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// Pairs returns what it rests on that writer w runs beside access e of f: the pairs of roots that
// let it. It returns nil if that is certain as far as it can be, as no exported function is among
// the roots of a pair, or if it is not known.
func (p *Processes) Pairs(f *Func, e *funcsum.Event, w *fact.Writer) []closedworld.Pair {
	if w.Fn < 0 {
		return nil
	}
	g := p.Funcs[w.Fn]
	there := g.WriteOf(w)
	if there == nil {
		there = &funcsum.Event{}
	}
	return p.pairs(f, e, g, there)
}

// PairsOfView is like Pairs, for the function of a view.
func (p *Processes) PairsOfView(f *Func, e *funcsum.Event, v *fact.View) []closedworld.Pair {
	if v.Fn < 0 {
		return nil
	}
	there := &funcsum.Event{}
	if i := slices.IndexFunc(v.Vars, func(x fact.Var) bool { return x.Loc == e.Loc }); i >= 0 {
		there.Base = v.Vars[i].Base
	}
	return p.pairs(f, e, p.Funcs[v.Fn], there)
}

func (p *Processes) pairs(f *Func, at *funcsum.Event, g *Func, there *funcsum.Event) []closedworld.Pair {
	reach, other := p.Procs.reach[f.ID], p.Procs.reach[g.ID]
	if len(reach) > limit.Roots || len(other) > limit.Roots || p.isWild(f) || p.isWild(g) {
		return nil
	}
	own, theirs := p.JoinedAt(f, at.Instr), p.JoinedAt(g, there.Instr)
	var out []closedworld.Pair
	for _, i := range reach {
		for _, j := range other {
			a, b := p.Procs.roots[i], p.Procs.roots[j]
			if !p.Procs.together(i, f.ID, j, g.ID) || p.separates(i, f, at.Base, j, g, there.Base) ||
				b.group != "" && slices.Contains(own, b.group) || a.group != "" && slices.Contains(theirs, a.group) {
				continue
			}
			pair := closedworld.Pair{A: p.outward(a), B: p.outward(b), Own: p.onOwn(i, f, at.Base).And(p.onOwn(j, g, there.Base))}
			if pair.A.Kind != closedworld.Entry && pair.B.Kind != closedworld.Entry {
				return nil
			}
			if !slices.ContainsFunc(out, pair.Equal) {
				out = append(out, pair)
			}
		}
	}
	slices.SortFunc(out, closedworld.Pair.Compare)
	return out
}

// onOwn says whether f, run by root i, has at base an object of the instance, or a part of it.
func (p *Processes) onOwn(i int, f *Func, base accesspath.Path) closedworld.Own {
	if len(p.Procs.roots[i].own) == 0 {
		return closedworld.NotOwn
	}
	return p.belongs(f, p.instanceOf(i)[f.ID], base)
}
