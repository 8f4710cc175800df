package viewconsistency

import (
	"fmt"
	"go/token"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

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
// To start a goroutine is to give it a signal; the data is the element that it has to find.

// A lateStart is a go statement and a later entry of an element into a container, with an access of
// the element by the goroutine.
type lateStart struct {
	d      *detector
	start  ssa.Instruction
	write  *summary.Event
	callee summary.Callee
	access *fact.Access // of the callee
}

// String describes the candidate for -why.
func (c *lateStart) String() string {
	return fmt.Sprintf("late registration: a goroutine is started at line %d before %s is entered at line %d, which it accesses (%s)",
		c.d.line(ssautil.Pos(c.start)), c.d.f.NameOf(c.write), c.d.line(c.write.Pos.Pos), c.access.Pos.Text)
}

// Positions returns those of the entry, of the start and of the function.
func (c *lateStart) Positions() []token.Pos {
	return []token.Pos{c.write.Pos.Pos, ssautil.Pos(c.start), c.d.f.Fn.Pos()}
}

// lateStarts reports the entries that come after the start of a goroutine that needs them, each once.
func (d *detector) lateStarts(rules rule.Set[*lateStart]) []finding.Finding {
	var out []finding.Finding
	for start, callee := range d.spawned() {
		if callee.Func.Sum != nil {
			out = append(out, d.lateEntries(start, callee, rules)...)
		}
	}
	return out
}

// spawned yields the go statements of the function, with the functions of the package that they start.
func (d *detector) spawned() iter.Seq2[*ssa.Go, summary.Callee] {
	return func(yield func(*ssa.Go, summary.Callee) bool) {
		for _, call := range d.f.Calls {
			start, ok := call.Instr.(*ssa.Go)
			if !ok {
				continue
			}
			for _, s := range d.pkg.Steps(d.f)[start] {
				for _, c := range s.Callees {
					if s.Kind == summary.SpawnStep && c.Func != nil && !yield(start, c) {
						return
					}
				}
			}
		}
	}
}

func (d *detector) lateEntries(start ssa.Instruction, callee summary.Callee, rules rule.Set[*lateStart]) []finding.Finding {
	var out []finding.Finding
	for _, w := range d.f.Events {
		if !enters(w) || !d.f.Order().Exists(summary.Way{From: start, To: w.Instr, Forward: true}) {
			continue
		}
		for i := range callee.Func.Sum.Accesses {
			c := &lateStart{d, start, w, callee, &callee.Func.Sum.Accesses[i]}
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
	return a.Loc == c.write.Loc && a.Regions != 0 && a.Op&(summary.Delete|summary.Presence) != 0 &&
		accesspath.Same(c.callee.Translate(a.Base), c.write.Base) && accesspath.SameElement(c.callee.TranslateKey(a.Key), c.write.Key)
}

// heldFromStart: a lock that the goroutine needs is held from the start to the entry.
//
//	s.mu.Lock(); go s.run(name); s.tasks[name] = t; s.mu.Unlock()
func (c *lateStart) heldFromStart() bool {
	var needs []accesspath.Location
	for i, r := range c.callee.Func.Sum.Regions {
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

// enteredBefore: the function has entered the element before the start, too.
func (c *lateStart) enteredBefore() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e != c.write && e.Writes() && e.Loc == c.write.Loc && accesspath.SameElement(e.Key, c.write.Key) && c.d.f.Order().Flows(e.Instr, c.start)
	})
}

func (c *lateStart) finding(doubts finding.Doubts) finding.Finding {
	d := c.d
	name, runs := d.f.NameOf(c.write), c.callee.Func
	f := finding.Finding{
		Pos:      c.write.Pos.Pos,
		Category: earlyWrite,
		Message: fmt.Sprintf("%s is entered here, after the goroutine that looks for it (%s) was started at line %d: it may have looked before",
			name, c.access.Pos.Text, d.line(ssautil.Pos(c.start))),
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
