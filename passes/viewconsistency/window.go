package viewconsistency

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// A window is a gap of one place: an element is taken out in one critical section, and put in again in a later one, of the
// same operation. A function that finds none in between fills the place itself:
//
//	s.mu.Lock(); delete(s.owner, k); s.mu.Unlock()
//	s.mu.Lock(); s.owner[k] = to; s.mu.Unlock() // WRONG: assign may have given k to another one
//
//	func (s *S) assign(k string) { // under s.mu
//		if _, ok := s.owner[k]; !ok {
//			s.owner[k] = s.choose()
//		}
//
// If the operation does nothing else in between, the two steps are one update, and it is wrong as well to conclude that there is no
// such element:
//
//	r := s.take(id) // a concurrent cancel(id) returns errUnknown
//	r.at = at
//	s.put(r)
//
// What is taken out in order to be used is meant to be away.

// windowRules decide about places that are empty for a while.
var windowRules = rule.Set[*window]{
	{
		ID: "window-seen", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"window.Names.Replace"},
		Holds: (*window).isSeen,
	}, {
		ID: "window-concurrent", Kind: rule.Requires, Mechanism: rule.Join,
		Cases: []string{"window.Loader.move"},
		Holds: (*window).meets,
	}, {
		ID: "window-kept-out", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"window.Ports.MoveAlone"},
		Holds: (*window).keptOut,
	}, {
		ID: "window-marked", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"window.Works.Start"},
		For:   func(c *window) bool { return !c.isFilled() }, Holds: func(c *window) bool { return c.markedOnTheWay() },
	}, {
		ID: "window-deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance, Doubt: finding.Deep,
		Cases: []string{"window.Depot.MoveFar"},
		Holds: func(c *window) bool { return c.deep() },
	},
}

// A window is a gap whose two places, and two looks, are one.
type window struct {
	gap
	updates bool // the two steps are one update
}

// String describes the candidate for -why.
func (c *window) String() string {
	return fmt.Sprintf("window: taken out of %s at line %d and put in again at line %d, but %s looks (%s)", c.d.f.NameOf(c.taken),
		c.d.line(c.taken.Pos.Pos), c.d.line(c.entered.Pos.Pos), summary.Name(c.looker.Fn), c.look().Pos.Text)
}

// look returns the look at the place.
func (c *window) look() *summary.Event { return c.looks[0] }

// windows reports the places that are empty between two sections, each once.
func (d *detector) windows(rules rule.Set[*window]) []finding.Finding {
	var out []finding.Finding
	for _, taken := range d.f.Events {
		if !d.takesOut(taken) || taken.Key == "" {
			continue
		}
		for _, entered := range d.f.Events {
			updates := d.updates(taken, entered)
			if !updates && !d.comesBack(taken, entered) {
				continue
			}
			if c := d.lookInside(window{gap: gap{d: d, taken: taken, entered: entered}, updates: updates}, rules); c != nil {
				out = append(out, c.finding(rules.Doubts(d.judge, c)))
				break
			}
		}
	}
	return out
}

// comesBack reports whether a later step of the operation puts something in the place that another one has emptied, whatever
// is there by then. One that gives up if there is something loses what it has taken out, if that is what it puts in.
func (d *detector) comesBack(taken, entered *summary.Event) bool {
	return d.isAnother(taken, entered) && (!entered.Looked() || d.putsBack(entered)) && accesspath.SameElement(entered.Key, taken.Key)
}

// isAnother reports whether an access puts something into the container out of which a step of the operation has taken something.
func (d *detector) isAnother(taken, entered *summary.Event) bool {
	return d.putsLater(taken, entered) && entered.Loc == taken.Loc && entered.Key != "" && accesspath.Same(entered.Base, taken.Base) && d.followsForward(taken, entered)
}

// updates reports whether a removal and a later entry are one update: what was taken out is put in again, or its name in another inner
// container, and nothing else is done in between. Something else under its name is another object, of which nothing was there before.
func (d *detector) updates(taken, entered *summary.Event) bool {
	if !d.isAnother(taken, entered) || taken.Key.HasAny() || entered.Key.HasAny() || d.f.Order().Flows(entered.Instr, taken.Instr) {
		return false
	}
	one, two := taken.Key.Parts(), entered.Key.Parts()
	moves := len(one) > 1 && len(one) == len(two) && one[0] != two[0] && !entered.Looked() && accesspath.SameElement(one[len(one)-1], two[len(two)-1])
	return (moves || d.carries(entered, d.foundWith(taken))) && !d.worksBetween(taken, entered)
}

// putsBack reports whether a write puts in what is computed from what was in the place before.
func (d *detector) putsBack(entered *summary.Event) bool {
	return slices.ContainsFunc(entered.Data, func(i int) bool {
		e := d.f.Events[i]
		return e.Loc == entered.Loc && accesspath.Same(e.Base, entered.Base) && accesspath.SameElement(e.Key, entered.Key) && e.Ord != entered.Ord
	})
}

// lookInside returns a candidate that the rules accept, one that is filled if there is one, or nil.
func (d *detector) lookInside(c window, rules rule.Set[*window]) *window {
	var out *window
	for _, by := range d.lookers.at[c.taken.Loc] {
		if by.f == d.f {
			continue
		}
		for _, look := range by.looks {
			one := c
			if one.looker, one.looks = by.f, [2]*summary.Event{look, look}; len(look.Key.Parts()) != len(c.taken.Key.Parts()) || look.Key == "" || !rule.Accept(d.judge, rules, &one) {
				continue
			}
			if one.isFilled() {
				return &one
			}
			if out == nil {
				out = &one
			}
		}
	}
	return out
}

// isSeen: the function that looks puts something in the place, or concludes from an update that there is no such element.
func (c *window) isSeen() bool { return c.isFilled() || c.updates && !c.isStep() && c.concludes() }

// isStep reports whether the function that looks is another operation of that kind: it takes out what it finds, and puts it in again.
// Absence means then that it is in use. So does a step that only such operations have.
//
//	if !s.take(k) { return errBusy }
//	defer s.put(k)
func (c *window) isStep() bool {
	if c.isStepOf(c.d.f) {
		return !slices.ContainsFunc(c.d.pkg.Funcs, func(g *summary.Func) bool { return g != c.d.f && c.isStepOf(g) && !c.putsIn(g, nil) })
	}
	takes := func(e *summary.Event) bool {
		return e.Loc == c.taken.Loc && e.Writes() && e.Effect() == summary.Removes && (e.Ord == c.look().Ord || summary.SharePassage(e, c.look()))
	}
	return slices.ContainsFunc(c.looker.Events, takes) && c.putsIn(c.looker, c.look())
}

// isStepOf reports whether a function calls the one that looks.
func (c *window) isStepOf(g *summary.Func) bool {
	return slices.ContainsFunc(g.Calls, func(call callgraph.Call) bool { return call.Callee == c.looker.ID })
}

// putsIn reports whether a function puts something into the container, after an access if there is one.
func (c *window) putsIn(g *summary.Func, after *summary.Event) bool {
	return slices.ContainsFunc(g.Events, func(e *summary.Event) bool {
		return e.Loc == c.taken.Loc && e.Writes() && e.Key != "" && e.Op&summary.Delete == 0 && (after == nil || g.Order().Flows(after.Instr, e.Instr))
	})
}

// isFilled reports whether the function that looks puts something in the place, in the section of its look, because there is nothing.
func (c *window) isFilled() bool {
	return slices.ContainsFunc(c.looker.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc == c.taken.Loc && w.Key != "" && w.Op&summary.Delete == 0 && w.Instr != c.look().Instr && summary.SharePassage(w, c.look()) &&
			isAbsentAt(c.looker, w.Instr.Block(), c.look())
	})
}

// isAbsentAt reports whether control is in block b of g only if a look has found nothing.
func isAbsentAt(g *summary.Func, b *ssa.BasicBlock, look *summary.Event) bool {
	return g.Knows(look, b, func(f branch.Fact) bool { return f.Nil() || f.False() })
}

func (c *window) finding(doubts finding.Doubts) finding.Finding {
	name, by := c.d.f.NameOf(c.taken), summary.Name(c.looker.Fn)
	then := "fills it itself"
	if !c.isFilled() {
		then = "takes it for gone"
	}
	to, removed := c.d.f.NameOf(c.entered), name
	if to == name {
		removed = "it"
	}
	message := fmt.Sprintf("%s is written here after %s was removed at line %d, in an earlier critical section: in between %s (%s) finds nothing there, and %s",
		to, removed, c.d.line(c.taken.Pos.Pos), by, c.look().Pos.Text, then)
	return c.report(message, fmt.Sprint(" window ", c.taken.Loc), doubts,
		finding.Note{Pos: c.taken.Pos.Pos, Message: name + " is removed here"},
		finding.Note{Pos: c.look().Pos.Pos, Message: by + " looks here"})
}
