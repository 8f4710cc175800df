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

// concerns reports whether the move may be from the one element to the other: constant keys are the same then.
func (m move) concerns(p pair) bool {
	may := func(key, of accesspath.Key) bool {
		a, known := key.Const()
		b, bothKnown := of.Const()
		return a == b || !known || !bothKnown
	}
	return may(m.off.Key, p.one.Key) && may(m.on.Key, p.two.Key) || may(m.off.Key, p.two.Key) && may(m.on.Key, p.one.Key)
}

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

// areTwoElements reports whether two accesses have two known keys, of which neither is that of an element of an element.
func areTwoElements(a, b *summary.Event) bool {
	known := func(k accesspath.Key) bool { return k != "" && !k.HasAny() && !k.IsNested() }
	return known(a.Key) && known(b.Key) && a.Key != b.Key
}

// movesOf returns the views of the moves that a pair of reads may take apart.
func (d *detector) movesOf(p pair) []*summary.View {
	var out []*summary.View
	for _, m := range d.moves(p.one.Loc) {
		if m.concerns(p) {
			out = append(out, m.view)
		}
	}
	return out
}

// moves returns the moves between the elements of a container.
func (d *detector) moves(l accesspath.Location) []move {
	if known, ok := d.moved[l]; ok {
		return known
	}
	var out []move
	for _, c := range d.changesOf(l) {
		if c.event == nil || c.Fn < 0 {
			continue
		}
		if on := d.movedTo(c.event, d.pkg.Funcs[c.Fn]); on != nil {
			out = append(out, move{c.event, on, c.view})
		}
	}
	d.moved[l] = out
	return out
}

// movedTo returns the write of another element in the critical section of the write off by f that receives what off takes out: the
// amount that off subtracts, or the value of the element that off removes. It returns nil if no write does.
func (d *detector) movedTo(off *summary.Event, f *summary.Func) *summary.Event {
	for _, t := range d.sums.transfers[off.Loc] {
		if t.off == off && t.oneStep && areTwoElements(t.off, t.on) {
			return t.on
		}
	}
	if off.Effect() != summary.Removes {
		return nil
	}
	for _, on := range f.Events {
		if on.Writes() && on.Op&summary.Delete == 0 && on.Loc == off.Loc && on.Base == off.Base && areTwoElements(on, off) && inOneSection(f, off, on) && takesFrom(f, on, off) {
			return on
		}
	}
	return nil
}

// inOneSection reports whether two writes are on one way of f, in one section. All callers of a literal may hold the lock of that.
func inOneSection(f *summary.Func, a, b *summary.Event) bool {
	return (summary.SharePassage(a, b) || f.Fn.Parent() != nil && len(f.Entry) > 0) && (f.Order().Flows(a.Instr, b.Instr) || f.Order().Flows(b.Instr, a.Instr))
}

// takesFrom reports whether what a write puts in is computed from the element of another one.
func takesFrom(f *summary.Func, on, off *summary.Event) bool {
	return slices.ContainsFunc(on.Data, func(i int) bool {
		r := f.Events[i]
		return r.Loc == off.Loc && r.Base == off.Base && r.Key != "" && r.Key.Outer() == off.Key.Outer()
	})
}
