package viewconsistency

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A late registration: a goroutine is started, and what it looks for, or takes out when it ends, is
// entered in a table afterwards.
//
//	go s.run(name, task) // at its end: s.mu.Lock(); delete(s.cancel, name); s.mu.Unlock()
//	s.mu.Lock(); s.cancel[name] = cancel; s.mu.Unlock() // WRONG: the task may be over
//
// To start a goroutine is to give it a signal; the data is the element that it has to find. The goroutine may be started
// by a callee.

// A lateStart is the start of a goroutine and a later entry of an element into a container, with an access of
// the element by the goroutine.
type lateStart struct {
	d *detector
	started
	write  *summary.Event
	access *fact.Access // of the goroutine
}

// String describes the candidate for -why.
func (c *lateStart) String() string {
	return fmt.Sprintf("late registration: a goroutine is started at line %d before %s is entered at line %d, which it accesses%s",
		c.d.line(ssautil.Pos(c.start)), c.d.f.NameOf(c.write), c.d.line(c.write.Pos.Pos), c.where())
}

// where returns the position of the access in parentheses, "" if it is in another package.
func (c *lateStart) where() string {
	if c.access.Pos.Text == "" {
		return ""
	}
	return " (" + c.access.Pos.Text + ")"
}

// Positions returns those of the entry, of the start and of the function.
func (c *lateStart) Positions() []token.Pos {
	return []token.Pos{c.write.Pos.Pos, ssautil.Pos(c.start), c.d.f.Fn.Pos()}
}

// lateStarts reports the entries that come after the start of a goroutine that needs them, each once.
func (d *detector) lateStarts(rules rule.Set[*lateStart]) []finding.Finding {
	var out []finding.Finding
	if !slices.ContainsFunc(d.f.Events, enters) {
		return nil
	}
	for s := range d.spawned() {
		if s.runs().Func.Sum != nil {
			out = append(out, d.lateEntries(s, rules)...)
		}
	}
	return out
}

func (d *detector) lateEntries(s started, rules rule.Set[*lateStart]) []finding.Finding {
	var out []finding.Finding
	for _, w := range d.f.Events {
		if !enters(w) || !d.f.Order().Exists(summary.Way{From: s.start, To: w.Instr, Forward: true}) {
			continue
		}
		for i := range s.runs().Func.Sum.Accesses {
			c := &lateStart{d, s, w, &s.runs().Func.Sum.Accesses[i]}
			if c.looksFor() && rule.Accept(d.judge, rules, c) {
				out = append(out, c.finding(rules.Doubts(d.judge, c)))
				break
			}
		}
	}
	return out
}

// enters reports whether a write puts an element into a container, under a lock.
func enters(w *summary.Event) bool {
	return w.Writes() && w.Key != "" && w.Op&summary.Delete == 0 && len(w.Inputs) > 0 && len(w.Holds) > 0
}

// looksFor reports whether the goroutine takes the element out, or asks whether it is there.
func (c *lateStart) looksFor() bool {
	a := c.access
	return a.Loc == c.write.Loc && a.Regions != 0 && (a.Op&(summary.Delete|summary.Presence) != 0 || a.Traits.Has(fact.Tested)) &&
		accesspath.Same(c.translate(a.Base), c.write.Base) && accesspath.SameElement(c.translateKey(a.Key), c.write.Key)
}

// heldFromStart: a lock that the goroutine needs is held from the start to the entry.
//
//	s.mu.Lock(); go s.run(name); s.tasks[name] = t; s.mu.Unlock()
func (c *lateStart) heldFromStart() bool {
	var needs []accesspath.Location
	for i, r := range c.runs().Func.Sum.Regions {
		if c.access.Regions&(1<<i) != 0 {
			needs = append(needs, r.Guard.Class)
		}
	}
	order := c.d.f.Order()
	return slices.ContainsFunc(c.write.Holds, func(h summary.Hold) bool {
		if h.Inner || len(h.Sites) != 1 || !slices.Contains(needs, h.Class) {
			return false
		}
		taken := c.d.f.Instr(h.Sites[0])
		return taken == nil || !order.MustPass(c.start, taken, c.write.Instr)
	})
}

// enteredBefore: the function has entered the element before the start, too. A callee that starts the goroutine and enters the
// element is asked about for itself.
func (c *lateStart) enteredBefore() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e != c.write && enters(e) && e.Loc == c.write.Loc && accesspath.SameElement(e.Key, c.write.Key) &&
			(e.Instr == c.start || c.d.f.Order().Flows(e.Instr, c.start))
	})
}

func (c *lateStart) finding(doubts finding.Doubts) finding.Finding {
	d := c.d
	name, runs := d.f.NameOf(c.write), c.runs().Func
	f := finding.Finding{
		Pos:      c.write.Pos.Pos,
		Category: earlyWrite,
		Message: fmt.Sprintf("%s is entered here, after the goroutine that looks for it%s was started at line %d: it may have looked before",
			name, c.where(), d.line(ssautil.Pos(c.start))),
		Doubts: doubts,
		Group:  fmt.Sprint(d.f.Fn.Pos(), " start ", c.write.Loc),
		Notes:  []finding.Note{{Pos: ssautil.Pos(c.start), Message: "the goroutine is started here"}},
	}
	f.Anchors = d.pkg.Anchors(summary.Split{
		Fset: d.pass.Fset, Func: d.f, Check: &summary.Event{Instr: c.start, Ref: c.write.Ref, Op: summary.Write}, Act: c.write,
		Readers: []*summary.View{{Func: summary.Name(runs.Fn), Pos: c.access.Pos, Fn: runs.ID}},
	})
	return f
}
