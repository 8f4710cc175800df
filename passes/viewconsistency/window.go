package viewconsistency

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
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

// windowRules decide about places that are empty for a while.
var windowRules = rule.Set[*window]{
	{
		ID: "window-filled", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"window.Names.Replace"},
		Holds: (*window).isFilled,
	}, {
		ID: "window-concurrent", Kind: rule.Requires, Mechanism: rule.Join,
		Cases: []string{"window.Loader.move"},
		Holds: (*window).meets,
	}, {
		ID: "window-kept-out", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"window.Ports.MoveAlone"},
		Holds: (*window).keptOut,
	},
}

// A window has the removal and the later insertion, and the function that looks at the place.
type window struct {
	d              *detector
	taken, entered *summary.Event
	looker         *summary.Func
	look           *summary.Event
}

// String describes the candidate for -why.
func (c *window) String() string {
	return fmt.Sprintf("window: taken out of %s at line %d and put in again at line %d, but %s looks (%s)", c.d.f.NameOf(c.taken),
		c.d.line(c.taken.Pos.Pos), c.d.line(c.entered.Pos.Pos), summary.Name(c.looker.Fn), c.look.Pos.Text)
}

// Positions returns those of the two writes and of the function.
func (c *window) Positions() []token.Pos {
	return []token.Pos{c.entered.Pos.Pos, c.taken.Pos.Pos, c.d.f.Fn.Pos()}
}

// windows reports the places that are empty between two sections, each once.
func (d *detector) windows(rules rule.Set[*window]) []finding.Finding {
	var out []finding.Finding
	for _, taken := range d.f.Events {
		if !d.takesOut(taken) || taken.Key == "" {
			continue
		}
		for _, entered := range d.f.Events {
			if !d.comesBack(taken, entered) {
				continue
			}
			if c := d.lookInside(taken, entered, rules); c != nil {
				out = append(out, c.finding(rules.Doubts(d.judge, c)))
				break
			}
		}
	}
	return out
}

// comesBack reports whether a later step of the operation puts something in the place that another one has emptied, whatever
// is there by then.
func (d *detector) comesBack(taken, entered *summary.Event) bool {
	if !entered.Writes() || entered.Distant || entered.Looked() || entered.Loc != taken.Loc || entered.Ord == taken.Ord || len(entered.Holds) == 0 || entered.Op&summary.Delete != 0 ||
		!accesspath.Same(entered.Base, taken.Base) || !accesspath.SameElement(entered.Key, taken.Key) {
		return false
	}
	return d.f.Order().Exists(summary.Way{From: taken.Instr, To: entered.Instr, Forward: true})
}

// lookInside returns a candidate that the rules accept, or nil.
func (d *detector) lookInside(taken, entered *summary.Event, rules rule.Set[*window]) *window {
	for _, by := range d.lookers[taken.Loc] {
		if by.f == d.f {
			continue
		}
		for _, look := range by.looks {
			if c := (&window{d, taken, entered, by.f, look}); look.Key != "" && rule.Accept(d.judge, rules, c) {
				return c
			}
		}
	}
	return nil
}

// isFilled: the function that looks puts something in the place, in the section of its look, because there is nothing.
func (c *window) isFilled() bool {
	return slices.ContainsFunc(c.looker.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc == c.taken.Loc && w.Key != "" && w.Op&summary.Delete == 0 && w.Instr != c.look.Instr && summary.SharePassage(w, c.look) &&
			isAbsentAt(w.Instr.Block(), c.look)
	})
}

// isAbsentAt reports whether control is in block b only if a look has found nothing.
func isAbsentAt(b *ssa.BasicBlock, look *summary.Event) bool {
	for f := range branch.At(b) {
		if slices.Contains(look.Values, f.Subject) && (f.Nil() || f.False()) {
			return true
		}
	}
	return false
}

// meets: the two functions can run at the same time on the same object.
func (c *window) meets() bool {
	return c.d.pkg.ConcurrentOn(c.d.f, c.entered.Base, c.looker, c.look.Base)
}

// keptOut: a lock that the look needs is held from the removal to the insertion.
func (c *window) keptOut() bool { return c.d.f.KeepsOut(c.taken, c.entered, c.looker, c.look) }

func (c *window) finding(doubts finding.Doubts) finding.Finding {
	d := c.d
	name, by := d.f.NameOf(c.taken), summary.Name(c.looker.Fn)
	f := finding.Finding{
		Pos:      c.entered.Pos.Pos,
		Category: splitWrite,
		Message: fmt.Sprintf("%s is written here after it was removed at line %d, in an earlier critical section: in between %s (%s) finds nothing there, and fills it itself",
			name, d.line(c.taken.Pos.Pos), by, c.look.Pos.Text),
		Doubts: doubts,
		Group:  fmt.Sprint(ssautil.Declaration(d.f.Fn).Pos(), " window ", c.taken.Loc),
		Notes: []finding.Note{
			{Pos: c.taken.Pos.Pos, Message: name + " is removed here"},
			{Pos: c.look.Pos.Pos, Message: by + " looks here"},
		},
	}
	f.Anchors = d.pkg.Anchors(summary.Split{
		Fset: d.pass.Fset, Func: d.f, Check: c.taken, Act: c.entered,
		Readers: []*summary.View{{Func: by, Pos: c.look.Pos, Fn: c.looker.ID}},
	})
	return f
}
