package viewconsistency

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// A window is the time between two writes of one pointer by one function, the first of
// which clears it, and the second sets it again, in another critical section. It is the
// scenario W(x) R'(x) W(x) of Vaziri, Tip and Dolby (Associating synchronization constraints
// with data in an object-oriented language, POPL 2006):
//
//	p.setNeedle(nil)
//	p.setNeedle(n) // Play dereferences the needle, and does not ask
//
// It is seen by a function that can run in between and dereferences the pointer without a
// test. A pointer that some function clears and leaves nil is meant to be nil at times.
type window struct {
	d              *detector
	clear, set     *summary.Event
	reader         *summary.Func
	read           *summary.Event
	dereferencedAt ssa.Instruction
}

func (w *window) String() string {
	return fmt.Sprintf("window: %s is cleared at line %d and set at line %d, and dereferenced by %s", w.d.f.NameOf(w.set),
		w.d.line(w.clear.Pos.Pos), w.d.line(w.set.Pos.Pos), summary.Name(w.reader.Fn))
}

// Positions returns those of the writes and of the function.
func (w *window) Positions() []token.Pos {
	return []token.Pos{w.set.Pos.Pos, w.clear.Pos.Pos, w.d.f.Fn.Pos()}
}

// windows reports the windows that the function opens, one for each second write.
func (d *detector) windows(readers map[accesspath.Location][]reader) []finding.Finding {
	if d.pkg.InTest(d.f) {
		return nil
	}
	var out []finding.Finding
	for _, set := range d.f.Events {
		if !d.mayEnd(set) || len(readers[set.Loc]) == 0 {
			continue
		}
		if w := d.window(set, readers[set.Loc]); w != nil {
			out = append(out, w.finding())
		}
	}
	return out
}

// mayEnd reports whether a write sets a pointer under a guard of it.
func (d *detector) mayEnd(set *summary.Event) bool {
	return set.Writes() && !set.Reads() && set.Key == "" && set.Const == "" && set.Op&(summary.Delete|summary.Content) == 0 &&
		set.Base != accesspath.Unknown && guarded(d.pkg.Location(set.Loc), set)
}

// guarded reports whether an access is made under a lock that guards its location.
func guarded(info *summary.LocInfo, e *summary.Event) bool {
	return slices.ContainsFunc(e.Holds, func(h summary.Hold) bool { return slices.Contains(info.Guarding(), h.Class) })
}

func (d *detector) window(set *summary.Event, readers []reader) *window {
	for _, clear := range d.f.Events {
		if !d.clears(clear, set) {
			continue
		}
		for _, r := range readers {
			w := &window{d, clear, set, r.f, r.read, r.at}
			if rule.Accept(d.judge, windowRules, w) {
				return w
			}
		}
	}
	return nil
}

// clears reports whether a write clears what set sets in a later critical section.
func (d *detector) clears(clear, set *summary.Event) bool {
	if !clear.Writes() || clear.Const != "nil" || clear.Key != "" || clear.Loc != set.Loc || clear.Ord == set.Ord ||
		!accesspath.Same(clear.Base, set.Base) {
		return false
	}
	return slices.ContainsFunc(clear.Holds, func(h summary.Hold) bool {
		way := summary.Way{From: clear.Instr, To: set.Instr, Forward: true}
		if !h.Inner {
			way.Guard = h.Path
		}
		return slices.Contains(d.pkg.Location(set.Loc).Guarding(), h.Class) && !slices.ContainsFunc(set.Holds, h.SamePassage) && d.f.Order().Exists(way)
	})
}

// isConcurrent: the reader can run at the same time.
//
//	p.lift(); p.drop(n) // in main, before the first go statement
func (w *window) isConcurrent() bool { return w.d.pkg.MayRunTogether(w.d.f, w.reader) }

// isShut: the reader needs a lock that is held from the one write to the other.
//
//	p.life.Lock() // as in Play
//	p.lift(); p.drop(n)
//	p.life.Unlock()
func (w *window) isShut() bool {
	locks := w.reader.Locks(w.read)
	return slices.ContainsFunc(w.d.f.Held(w.clear, w.set), func(g lockset.Guard) bool { return slices.Contains(locks, g.Class) })
}

// isLeft: some other function clears the pointer and leaves it, so that it is nil at times.
//
//	func (p *Player) Close() { p.mu.Lock(); p.needle = nil; p.mu.Unlock() }
func (w *window) isLeft() bool {
	return slices.ContainsFunc(w.d.pkg.Funcs, func(f *summary.Func) bool {
		return f != w.d.f && !f.Constructs() && !w.d.pkg.InTest(f) && (w.d.pkg.IsRoot(f) || !w.calls(f)) && w.leaves(f)
	})
}

// calls reports whether the function calls f, directly or in a callee.
func (w *window) calls(f *summary.Func) bool {
	seen := map[*summary.Func]bool{w.d.f: true}
	for work := []*summary.Func{w.d.f}; len(work) > 0; work = work[1:] {
		for _, c := range work[0].Calls {
			if to := w.d.pkg.Funcs[c.Callee]; !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return seen[f]
}

// leaves reports whether f clears the pointer without setting it afterwards.
func (w *window) leaves(f *summary.Func) bool {
	return slices.ContainsFunc(f.Events, func(e *summary.Event) bool {
		return e.Writes() && e.Loc == w.set.Loc && e.Const == "nil" && !slices.ContainsFunc(f.Events, func(set *summary.Event) bool {
			return set.Writes() && set.Loc == e.Loc && set.Const != "nil" && f.Order().Flows(e.Instr, set.Instr)
		})
	})
}

var windowRules = rule.Set[*window]{
	{
		ID: "window-reader", Kind: rule.Requires, Mechanism: rule.Lifecycle,
		Cases: []string{"program.state.retune"},
		Holds: (*window).isConcurrent,
	}, {
		ID: "window-shut", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"window.Box.Swap"},
		Holds: (*window).isShut,
	}, {
		ID: "left-clear", Kind: rule.Excludes, Mechanism: rule.Lifecycle,
		Cases: []string{"window.Lamp.Swap"},
		Holds: (*window).isLeft,
	},
}

func (w *window) finding() finding.Finding {
	d, at := w.d, w.dereferencedAt.Pos()
	by := summary.Name(w.reader.Fn)
	return finding.Finding{
		Pos:      w.set.Pos.Pos,
		Category: splitWrite,
		Message: fmt.Sprintf("%s is nil from line %d until it is set here, in a separate critical section; %s (%s) dereferences it without a test if it runs in between",
			d.f.NameOf(w.set), d.line(w.clear.Pos.Pos), by, w.read.Pos.Text),
		Doubts: windowRules.Doubts(d.judge, w),
		Notes: []finding.Note{
			{Pos: w.clear.Pos.Pos, Message: d.f.NameOf(w.clear) + " is cleared here"},
			{Pos: at, Message: "it is dereferenced here, by " + by},
		},
	}
}

// A reader is a function that dereferences, at at, the pointer that it reads, without a test.
type reader struct {
	f    *summary.Func
	read *summary.Event
	at   ssa.Instruction
}

// unaskingReaders returns the functions that dereference a guarded pointer in the critical
// section in which they read it, and decide nothing in that section before, by location.
func unaskingReaders(p *summary.Package) map[accesspath.Location][]reader {
	out := make(map[accesspath.Location][]reader)
	for _, f := range p.Funcs {
		if f.Flow == nil || f.Constructs() || p.InTest(f) {
			continue
		}
		for _, e := range f.Events {
			if !e.Reads() || e.Writes() || e.Key != "" || e.Callee != nil || e.Within != nil || !guarded(p.Location(e.Loc), e) {
				continue
			}
			if at := f.Dereference(e); at != nil && !asksBefore(f, e, at) {
				out[e.Loc] = append(out[e.Loc], reader{f, e, at})
			}
		}
	}
	return out
}

// asksBefore reports whether a branch on guarded state, read in the section of e, decides
// about an instruction: it may exclude that the pointer is nil.
func asksBefore(f *summary.Func, e *summary.Event, at ssa.Instruction) bool {
	return slices.ContainsFunc(f.Conditions(&summary.Event{Instr: at}), func(cond ssa.Value) bool {
		slice := f.Slice(cond)
		return slices.ContainsFunc(f.Events, func(test *summary.Event) bool {
			return test.Reads() && slice.HasAny(test.Values) && (test.Loc == e.Loc || summary.SharePassage(test, e))
		})
	})
}
