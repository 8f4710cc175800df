package viewconsistency

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/summary"
)

// What is moved from one element of a container to another one, in one step, is in one of them at any time:
//
//	s.mu.Lock(); s.decks[from] = remove(s.decks[from], v); s.decks[to] = append(s.decks[to], v); s.mu.Unlock()
//
// Who copies the two elements in two sections may find it in both, or in none:
//
//	all := append(s.onDeck(lower), s.onDeck(upper)...) // WRONG

// elementsApart returns the pairs of reads of two elements of one container, in two sections of the function.
func (d *detector) elementsApart(p *partition) []pair {
	var out []pair
	for _, l := range p.locs {
		list := p.accesses[l]
		if len(list) < 2 || len(d.moves(l)) == 0 {
			continue
		}
		for i, one := range list {
			for _, two := range list[i+1 : min(len(list), i+1+limit.ComparedAccesses)] {
				if one.section != two.section && one.event.Base == two.event.Base && one.event.Ord < two.event.Ord && areTwoElements(one.event, two.event) {
					out = append(out, p.pair(one, two))
				}
			}
		}
	}
	return out
}

// areTwoElements reports whether two accesses have two known keys.
func areTwoElements(a, b *summary.Event) bool {
	return a.Key != "" && b.Key != "" && a.Key != b.Key && !a.Key.HasAny() && !b.Key.HasAny()
}

// moves returns a view for each write that takes something out of an element, and puts something into another one in the same section.
func (d *detector) moves(l accesspath.Location) []*summary.View {
	if views, known := d.moved[l]; known {
		return views
	}
	var out []*summary.View
	for _, c := range d.changesOf(l) {
		if c.event != nil && c.Fn >= 0 && d.movesOut(c.event, d.pkg.Funcs[c.Fn]) {
			out = append(out, c.view)
		}
	}
	d.moved[l] = out
	return out
}

// movesOut reports whether a write in f takes something out of an element, and another one in its section puts something into another element.
func (d *detector) movesOut(off *summary.Event, f *summary.Func) bool {
	if slices.ContainsFunc(d.sums.transfers[off.Loc], func(t *transfer) bool { return t.off == off && t.oneStep && areTwoElements(t.off, t.on) }) {
		return true
	}
	if off.Effect() != summary.Removes && off.Effect() != summary.Lowers {
		return false
	}
	return slices.ContainsFunc(f.Events, func(on *summary.Event) bool {
		inOne := summary.SharePassage(on, off) || len(f.Entry) > 0 // in a literal, of which all callers hold a lock
		return on.Writes() && on.Loc == off.Loc && on.Base == off.Base && areTwoElements(on, off) && inOne &&
			(on.Effect() == summary.Raises || on.Effect() == summary.Fills)
	})
}
