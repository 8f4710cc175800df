package stalevalue

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"github.com/atomvet/atomvet/passes/summary"
)

// A late mark: a goroutine is started, and then its starter notes that it runs, while the goroutine notes itself that it has ended.
//
//	go func() {
//		err := work()
//		s.mark(id, done)
//	}()
//	s.mark(id, running) // WRONG: it may be done by now, and runs for ever then
//
// No read is involved: the two writes are in one order if the goroutine takes its time, and in the other one if it does not.
// A start under the lock of the mark is no such start, as the goroutine has to wait for it.

// A lateMark is the start of a goroutine, a write of the starter after it, and the write of the same by the goroutine.
type lateMark struct {
	d     *detector
	start *beginning
	mark  *summary.Event
	by    started
	end   *summary.Event // in by.f
}

func (l *lateMark) String() string {
	return fmt.Sprintf("late-mark: start at line %d, %s at line %d, in %s", l.d.line(l.d.pos(l.start.Event)), l.d.f.NameOf(l.mark), l.d.line(l.d.pos(l.mark)), summary.Name(l.d.f.Fn))
}

func (l *lateMark) Positions() []token.Pos {
	return []token.Pos{l.d.pos(l.mark), l.d.pos(l.start.Event), l.d.f.Fn.Pos()}
}

// A beginning is the start of a goroutine by the function, or by one that it calls.
type beginning struct {
	effect
	inner ssa.Instruction // the go statement
}

// lateMarks reports the first late mark after each start.
func (d *detector) lateMarks(rules rule.Set[*lateMark]) {
	for _, start := range d.allStarts() {
		for _, mark := range d.f.Events {
			if l := d.lateMark(&start, mark); l != nil && rule.Accept(d.judge, rules, l) {
				d.findings = append(d.findings, l.finding(rules.Doubts(d.judge, l)))
				break
			}
		}
	}
}

// allStarts returns the goroutines that the function starts, and those that are started by functions it calls.
func (d *detector) allStarts() []beginning {
	var out []beginning
	isStart := func(e effect) bool { return e.kind == starts && !isTimer(e.Instr) }
	for _, e := range d.own.of(d, d.f) {
		if isStart(e) {
			out = append(out, beginning{e, e.Instr})
		}
	}
	for _, c := range d.f.Calls {
		g := d.pkg.Funcs[c.Callee]
		if c.Kind != summary.Called || c.Instr == nil || g == d.f || g.Flow == nil {
			continue
		}
		for _, e := range d.own.of(d, g) {
			if !isStart(e) {
				continue
			}
			if t, ok := d.translation(c.Instr, g); ok {
				out = append(out, beginning{e.at(c.Instr, t, nil), e.Instr})
			}
		}
	}
	return out
}

// isTimer reports whether an instruction has a function called after some time.
func isTimer(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return false
	}
	known := funcsum.OfLibrary(&call.Call)
	return known.Runs == stdlib.Spawns && !known.Group
}

// lateMark returns the late mark that a write is, or nil: a constant that is stored after the start, where the goroutine stores
// another one, and neither asks what is there.
func (d *detector) lateMark(start *beginning, mark *summary.Event) *lateMark {
	if !isMark(mark) || mark.Ord == start.Ord || !d.f.Order().Exists(summary.Way{From: start.Instr, To: mark.Instr, Forward: true}) ||
		!d.f.MayHavePassed(start.Instr, start.inner, mark.Instr.Block()) {
		return nil
	}
	for _, s := range start.started {
		for _, end := range s.f.Events {
			if isMark(end) && end.Const != mark.Const && end.Loc == mark.Loc && accesspath.Same(s.path(end.Base), mark.Base) && isSameKey(s.key(end.Key), mark.Key) {
				return &lateMark{d, start, mark, s, end}
			}
		}
	}
	return nil
}

// isMark reports whether a write stores a constant under a lock, or atomically, whatever is there.
func isMark(e *summary.Event) bool {
	return e.Writes() && e.Const != "" && e.Op&summary.Compare == 0 && len(e.Holds) > 0 && !e.Looked()
}

// hasRival: the goroutine may come to its write before the mark.
func (l *lateMark) hasRival() bool {
	by := l.by.f.Writer(l.end)
	by.Guards = l.by.f.Locks(l.end)
	return rival{d: l.d, writer: &by, base: l.mark.Base, held: l.d.f.HeldForward(l.start.Event, l.mark)}.runs()
}

// looksFirst: the starter has read something that the goroutine writes, between the start and the mark; or the goroutine writes only if
// it finds the mark.
//
//	go s.run()
//	s.mu.Lock(); if s.state == starting { s.state = running }; s.mu.Unlock()
func (l *lateMark) looksFirst() bool {
	return slices.ContainsFunc(l.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && len(e.Values) > 0 && l.isBetween(e.Instr) && l.d.f.DecidesBranch(e.Values) && slices.ContainsFunc(l.by.f.Events, func(w *summary.Event) bool { return w.Writes() && w.Loc == e.Loc })
	}) || slices.ContainsFunc(l.mark.Control, func(i int) bool {
		e := l.d.f.Events[i]
		return e.Loc == l.mark.Loc && l.d.f.Order().Flows(l.start.Instr, e.Instr)
	}) || slices.ContainsFunc(l.end.Control, func(i int) bool { return l.by.f.Events[i].Loc == l.end.Loc })
}

// isBetween reports whether control comes by an instruction on each way from the start to the mark.
func (l *lateMark) isBetween(instr ssa.Instruction) bool {
	return instr != l.mark.Instr && l.d.f.Order().MustPass(l.start.Instr, instr, l.mark.Instr)
}

// waits: the starter waits before it marks, for the end of the goroutine or for something that it does.
//
//	go func() { defer wg.Done(); work(); s.setState(done) }()
//	wg.Wait()
//	s.setState(idle)
func (l *lateMark) waits() bool {
	return l.d.anyWait(l.d.f, l.isBetween) || l.start.inner != l.start.Instr && l.startWaits()
}

// startWaits reports whether the callee that starts the goroutine waits before it returns.
func (l *lateMark) startWaits() bool {
	inner := l.start.inner
	g := l.d.pkg.FuncOf(inner.Parent())
	return g != nil && l.d.anyWait(g, func(instr ssa.Instruction) bool {
		return !slices.ContainsFunc(ssautil.Returns(g.Fn), func(r *ssa.Return) bool {
			return g.Order().Flows(inner, r) && !g.Order().MustPass(inner, instr, r)
		})
	})
}

// anyWait reports whether a function has an instruction that may wait, of which is asked.
func (d *detector) anyWait(f *summary.Func, asked func(ssa.Instruction) bool) bool {
	return ssautil.AnyInstr(f.Fn, func(instr ssa.Instruction) bool { return d.mayWait(instr, limit.NotifyDepth) && asked(instr) })
}

// mayWait reports whether an instruction waits, or calls a function of the package that does, in at most the given number of calls.
func (d *detector) mayWait(instr ssa.Instruction, calls int) bool {
	if funcsum.GivesTime(instr) {
		return true
	}
	call, ok := instr.(*ssa.Call)
	if !ok || calls == 0 {
		return false
	}
	f := d.pkg.FuncOf(call.Call.StaticCallee())
	return f != nil && ssautil.AnyInstr(f.Fn, func(instr ssa.Instruction) bool { return d.mayWait(instr, calls-1) })
}

// waitsForStarter: the goroutine waits, or sleeps, before it writes: it may wait for what the starter does after the mark.
//
//	go func() { <-ready; …; s.setState(done) }()
//	s.setState(running)
//	close(ready)
func (l *lateMark) waitsForStarter() bool {
	f := l.by.f
	_, deferred := l.end.Instr.(*ssa.Defer)
	entry := f.Fn.Blocks[0].Instrs[0]
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if funcsum.GivesTime(instr) && (deferred || instr == entry || f.Order().MustPass(entry, instr, l.end.Instr)) {
				return true
			}
		}
	}
	return false
}

// repeats: the starter has stored the same before the start: it asks for another run, and notes no state of the one that it has started.
//
//	s.dirty = true; go s.flush() // clears s.dirty
//	s.dirty = true
func (l *lateMark) repeats() bool {
	return slices.ContainsFunc(l.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w != l.mark && w.Const == l.mark.Const && sameCell(w, l.mark) && l.d.f.Order().Exists(summary.Way{From: w.Instr, To: l.start.Instr, Forward: true})
	})
}

func (l *lateMark) isDeep() bool { return l.mark.Deep() || l.end.Deep() }

func (l *lateMark) finding(doubts finding.Doubts) finding.Finding {
	d := l.d
	by := l.by.f.Writer(l.end)
	name := d.f.NameOf(l.mark)
	return d.interruption(finding.Finding{
		Pos: d.pos(l.mark), Category: lostUpdate, Doubts: doubts,
		Message: fmt.Sprintf("%s is written here, after the goroutine was started at line %d that writes it as well (%s, %s): if that comes first, this overwrites it",
			name, d.line(d.pos(l.start.Event)), by.Func, by.Pos.Text),
		Notes: []finding.Note{{Pos: d.pos(l.start.Event), Message: "the goroutine is started here"}},
	}, l.start.Event, l.mark, &by, "this may come first, by "+by.Func)
}
