package stalevalue

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A late clear: a flag says that there is something to do, a function finds it set, does the work, and
// clears the flag afterwards. A setter that runs during the work has made a change that the work may not
// have read, and its flag is cleared all the same: the work is not done for this change.
//
//	if !x.dirty.Load() { return nil }
//	if err := x.save(); err != nil { return err } // reads x.entries
//	x.dirty.Store(false) // WRONG: an entry that was put meanwhile is never saved
//
//	x.put(e)
//	x.dirty.Store(true)
//
// The flag has to be cleared before the data is read, or in one section with the read, and set again if
// the work fails. To set a flag that is set already changes nothing, so that it is not the value of the
// flag that is stale: it is what the work has read.

// A lateClear is a test of a flag, a write that clears it later, and another function that sets it.
type lateClear struct {
	d           *detector
	test, clear *summary.Event
	data        *summary.Event // what the work reads, and the other function writes; nil if it is not known
	writer      summary.Writer // sets the flag
}

func (l *lateClear) String() string {
	return fmt.Sprintf("late-clear: %s tested at line %d and cleared at line %d, set by %s, in %s",
		l.d.f.NameOf(l.test), l.d.line(l.d.pos(l.test)), l.d.line(l.d.pos(l.clear)), l.writer.Func, summary.Name(l.d.f.Fn))
}

func (l *lateClear) Positions() []token.Pos {
	return []token.Pos{l.d.pos(l.clear), l.d.pos(l.test), l.d.f.Fn.Pos()}
}

// clearRules decide about flags that are cleared after the work.
var clearRules = rule.Set[*lateClear]{
	{
		ID: "setter", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"cleared.Alone.save"},
		Holds: (*lateClear).hasRival,
	}, {
		ID: "setter-asks", Kind: rule.Excludes, Mechanism: rule.Lifecycle,
		Cases: []string{"cleared.Door.Close"},
		Holds: (*lateClear).setterAsks,
	}, {
		ID: "clear-revalidated", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"cleared.Book.SaveVersion"},
		Holds: (*lateClear).isRevalidated,
	}, {
		ID: "setter-restores", Kind: rule.Excludes, Mechanism: rule.ErrorPath,
		Cases: []string{"cleared.Press.Print"},
		Holds: (*lateClear).setterRestores,
	},
}

// lateClears reports the flags that the function clears too late, each once.
func (d *detector) lateClears(rules rule.Set[*lateClear]) {
	for _, clear := range d.f.Events {
		if !clear.Writes() || clear.Reads() || clear.Const != "false" || len(clear.Holds) == 0 || clear.Distant {
			continue
		}
		if l := d.lateClear(clear, rules); l != nil {
			d.findings = append(d.findings, l.finding())
		}
	}
}

// lateClear returns the first candidate with a clear that the rules accept, or nil.
func (d *detector) lateClear(clear *summary.Event, rules rule.Set[*lateClear]) *lateClear {
	info := d.pkg.Location(clear.Loc)
	if info.Constant() {
		return nil
	}
	for _, i := range clear.Control {
		test := d.f.Events[i]
		if test.Writes() || !sameCell(test, clear) || !d.foundSet(i, clear) {
			continue
		}
		for _, w := range info.Writers {
			if w.Fn < 0 || w.Fn == d.f.ID || w.Const != "true" {
				continue
			}
			data := d.workReads(test, clear, d.pkg.Funcs[w.Fn])
			if data == nil && !d.workSucceeds(test, clear, &w) {
				continue
			}
			if l := (&lateClear{d, test, clear, data, w}); rule.Accept(d.judge, rules, l) {
				return l
			}
		}
	}
	return nil
}

// foundSet reports whether the flag is cleared because event i has found it set.
func (d *detector) foundSet(i int, clear *summary.Event) bool {
	p := pair{d: d, read: d.f.Events[i], readIndex: i, act: clear}
	return slices.ContainsFunc(p.facts(), func(f fact) bool { return f.equal != isEmpty(f.to) })
}

// workReads returns a read between the test and the clear, in an earlier section than that, of something that
// the setter of the flag writes as well, or nil. Work that comes before the clear by way of the next test is no such read.
//
//	for x.dirty.Load() {
//		x.dirty.Store(false) // before the work of this turn
//		if x.save() != nil { wait() }
//	}
func (d *detector) workReads(test, clear *summary.Event, setter *summary.Func) *summary.Event {
	order := d.f.Order()
	for _, r := range d.f.Events {
		if r.Reads() && !r.Writes() && r.Loc != clear.Loc && len(r.Holds) > 0 && len(r.Values) > 0 && related(r.Base, clear.Base) &&
			order.Flows(test.Instr, r.Instr) && !order.MustPass(r.Instr, test.Instr, clear.Instr) &&
			slices.ContainsFunc(setter.Events, func(w *summary.Event) bool { return w.Writes() && w.Loc == r.Loc && !d.f.KeepsOut(r, clear, setter, w) }) {
			return r
		}
	}
	return nil
}

// workSucceeds reports whether the clear is decided by the error of calls that are made after the test, and in earlier
// sections of the setter's locks than the clear.
func (d *detector) workSucceeds(test, clear *summary.Event, setter *summary.Writer) bool {
	works := false
	for _, br := range d.f.Branches(clear) {
		if !asksForError(br.Cond) || d.f.Slice(br.Cond).HasAny(test.Values) {
			continue
		}
		work, _ := ssautil.CallOf(branch.Alone(br.Cond, true).Subject)
		if work == nil || !d.f.Order().Flows(test.Instr, work) || d.f.Order().MustPass(work, test.Instr, clear.Instr) {
			continue
		}
		if d.inSectionOf(work, clear, func(h summary.Hold) bool { return slices.Contains(setter.Guards, h.Class) }) {
			return false
		}
		works = true
	}
	return works
}

// hasRival: the function that sets the flag can run between the test and the clear.
func (l *lateClear) hasRival() bool {
	r := rival{d: l.d, writer: &l.writer, base: l.test.Base, held: l.d.f.HeldThrough(l.test, l.clear)}
	return r.runs() && !l.d.pkg.Processes().Confined(l.d.f, l.test.Base, &l.writer)
}

// setterAsks: the other function only sets the flag if it is clear: the flag is the state of something, and it cannot
// be set while the work is done.
//
//	if !d.open { d.open = true; d.hinge.turn() }
func (l *lateClear) setterAsks() bool {
	setter, w := l.d.pkg.WriteOf(&l.writer)
	return w != nil && (w.Reads() || slices.ContainsFunc(w.Control, func(i int) bool {
		return setter.Events[i].Reads() && setter.Events[i].Loc == l.clear.Loc
	}))
}

// isRevalidated: the section of the clear asks for something else that the setter of the flag writes.
//
//	if x.version == saved { x.dirty = false }
func (l *lateClear) isRevalidated() bool {
	setter := l.d.pkg.Funcs[l.writer.Fn]
	return slices.ContainsFunc(l.clear.Control, func(i int) bool {
		e := l.d.f.Events[i]
		return e.Loc != l.clear.Loc && slices.ContainsFunc(setter.Events, func(w *summary.Event) bool {
			return w.Writes() && w.Loc == e.Loc && l.d.f.KeepsOut(e, l.clear, setter, w)
		})
	})
}

// setterRestores: the other function has cleared the flag itself, and sets it again as it has failed.
func (l *lateClear) setterRestores() bool {
	return l.d.writerMakes(&l.writer, func(e *summary.Event) bool { return e.Writes() && e.Loc == l.clear.Loc && e.Empties() })
}

func (l *lateClear) finding() finding.Finding {
	d, name := l.d, l.d.f.NameOf(l.clear)
	work := "the work was done"
	notes := []finding.Note{{Pos: d.pos(l.test), Message: name + " is tested here"}}
	if l.data != nil {
		of := d.f.NameOf(l.data)
		work = fmt.Sprintf("%s was read at line %d", of, d.line(d.pos(l.data)))
		notes = append(notes, finding.Note{Pos: d.pos(l.data), Message: of + " is read here"})
	}
	return d.interruption(finding.Finding{
		Pos:      d.pos(l.clear),
		Category: lostUpdate,
		Message: fmt.Sprintf("%s, tested at line %d, is cleared here after %s: %s (%s) may have set it again in between, for a change that nobody looks at then",
			name, d.line(d.pos(l.test)), work, l.writer.Func, l.writer.Pos.Text),
		Group: d.group(fmt.Sprint("clear ", l.clear.Loc)),
		Notes: notes,
	}, l.test, useOf(l.test, l.clear.Instr), &l.writer, name+" is set here, by "+l.writer.Func)
}
