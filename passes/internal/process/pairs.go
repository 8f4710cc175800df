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
	return p.pairs(activityOf(f, e), activityOf(g, there))
}

// PairsOfView is like Pairs, for the function of a view.
func (p *Processes) PairsOfView(f *Func, e *funcsum.Event, v *fact.View) []closedworld.Pair {
	if v.Fn < 0 {
		return nil
	}
	return p.pairs(activityOf(f, e), Activity{F: p.Funcs[v.Fn], Base: baseIn(v, e.Loc)})
}

func (p *Processes) pairs(one, other Activity) []closedworld.Pair {
	if len(p.Procs.reach[one.F.ID]) > limit.Roots || len(p.Procs.reach[other.F.ID]) > limit.Roots || p.isWild(one.F) || p.isWild(other.F) {
		return nil
	}
	var out []closedworld.Pair
	for i, j := range p.meetings(one, other) {
		pair := closedworld.Pair{
			A: p.outward(p.Procs.roots[i]), B: p.outward(p.Procs.roots[j]),
			Own: p.onOwn(i, one.F, one.Base).And(p.onOwn(j, other.F, other.Base)),
		}
		if pair.A.Kind != closedworld.Entry && pair.B.Kind != closedworld.Entry {
			return nil
		}
		if !slices.ContainsFunc(out, pair.Equal) {
			out = append(out, pair)
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
