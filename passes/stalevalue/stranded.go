package stalevalue

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// Stranded work: a goroutine drains a queue, and ends when the queue is empty. A flag is set while it runs, and a
// function that adds to the queue starts the goroutine only if the flag is clear:
//
//	func (l *lane) run() {
//		for f := l.next(); f != nil; f = l.next() { f() } // l.queue, under l.mu
//		l.running.Store(false)                            // WRONG
//	}
//
//	func (l *lane) post(f func()) {
//		l.push(f)
//		if l.running.CompareAndSwap(false, true) { go l.run() }
//	}
//
// What is added after the last look, and before the flag is cleared, has no goroutine. The flag has to be cleared
// in the section that finds the queue empty, or the queue has to be looked at again afterwards.
//
// That the flag is cleared depends on the read of the queue, but not by a branch if the loop has no other end: it
// is enough that the read comes first on all paths. The function that adds starts the worker, so that the two run
// concurrently.

// A stranding is a look at a queue and a later write that clears the flag of the worker, with a function that adds to
// the queue and asks for the flag.
type stranding struct {
	d           *detector
	look, clear *summary.Event
	adder       *summary.Func
	add, ask    *summary.Event // of adder
}

func (s *stranding) String() string {
	return fmt.Sprintf("stranded-work: %s looked at at line %d, %s cleared at line %d, added to by %s, in %s", s.d.f.NameOf(s.look), s.d.line(s.d.pos(s.look)),
		s.d.f.NameOf(s.clear), s.d.line(s.d.pos(s.clear)), summary.Name(s.adder.Fn), summary.Name(s.d.f.Fn))
}

func (s *stranding) Positions() []token.Pos {
	return []token.Pos{s.d.pos(s.clear), s.d.pos(s.look), s.d.f.Fn.Pos()}
}

// strandRules decide about flags of workers that are cleared too late.
var strandRules = rule.Set[*stranding]{
	{
		ID: "adder-kept-out", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"stranded.Track.run"},
		Holds: (*stranding).keepsOut,
	}, {
		ID: "queue-again", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"stranded.Lane.runAgain"},
		Holds: (*stranding).looksAgain,
	},
}

// strandings reports the flags that the function clears too late, each once.
func (d *detector) strandings(rules rule.Set[*stranding]) {
	if len(d.starters[d.f.Fn]) == 0 {
		return
	}
	for _, clear := range d.f.Events {
		if !clear.Writes() || clear.Reads() || clear.Const != "false" || len(clear.Holds) == 0 || clear.Distant || clear.Calls() > 1 {
			continue
		}
		if s := d.stranding(clear, rules); s != nil {
			d.findings = append(d.findings, s.finding())
		}
	}
}

// stranding returns the first candidate with a clear that the rules accept, or nil.
func (d *detector) stranding(clear *summary.Event, rules rule.Set[*stranding]) *stranding {
	for _, by := range d.starters[d.f.Fn] {
		if by.f == d.f {
			continue
		}
		for _, ask := range by.f.Events {
			if !ask.Reads() || ask.Loc != clear.Loc || !by.f.Decides(ask, by.at.Block()) {
				continue
			}
			for _, look := range d.f.Events {
				add := d.addedTo(look, clear, by.f, ask)
				if add == nil {
					continue
				}
				if s := (&stranding{d, look, clear, by.f, add, ask}); rule.Accept(d.judge, rules, s) {
					return s
				}
			}
		}
	}
	return nil
}

// addedTo returns the access of another function, which asks for the flag, that adds to what was looked at before the
// clear, or nil.
func (d *detector) addedTo(look, clear *summary.Event, g *summary.Func, ask *summary.Event) *summary.Event {
	if !look.Reads() || look.Loc == clear.Loc || len(look.Holds) == 0 || !d.f.DecidesBranch(look.Values) || !d.comesFirst(look, clear) {
		return nil
	}
	i := slices.IndexFunc(g.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc == look.Loc && w.Op&summary.Delete == 0 && (w.Key != "" || len(w.Added) > 0) && w.Const == "" && !w.Shrinks() &&
			alike(look.Base, clear.Base, w.Base, ask.Base)
	})
	if i < 0 {
		return nil
	}
	return g.Events[i]
}

// comesFirst reports whether the look is made on all ways to the clear, and the callee that clears does not look itself.
func (d *detector) comesFirst(look, clear *summary.Event) bool {
	if slices.ContainsFunc(d.f.Events, func(e *summary.Event) bool { return e.Ord == clear.Ord && e.Loc == look.Loc }) {
		return false
	}
	first := d.f.Fn.Blocks[0].Instrs[0]
	return d.f.Order().MustPass(first, look.Instr, clear.Instr)
}

// keepsOut: a lock that the other function needs is held from the look to the clear.
func (s *stranding) keepsOut() bool {
	f := s.d.f
	return f.KeepsOut(s.look, s.clear, s.adder, s.add) || f.KeepsOut(s.look, s.clear, s.adder, s.ask)
}

// looksAgain: the function looks at the queue again after the clear.
func (s *stranding) looksAgain() bool {
	return slices.ContainsFunc(s.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && e.Loc == s.look.Loc && s.d.f.Order().Flows(s.clear.Instr, e.Instr)
	})
}

func (s *stranding) finding() finding.Finding {
	d := s.d
	queue, flag, by := d.f.NameOf(s.look), d.f.NameOf(s.clear), summary.Name(s.adder.Fn)
	w := s.adder.Writer(s.add)
	return d.interruption(finding.Finding{
		Pos:      d.pos(s.clear),
		Category: checkThenAct,
		Message: fmt.Sprintf("%s is cleared here, after the look at %s at line %d: %s (%s) may add to that in between, and starts no goroutine, as it finds the flag set: what it has added is left there",
			flag, queue, d.line(d.pos(s.look)), by, s.add.Pos.Text),
		Group: d.group(fmt.Sprint("strand ", s.clear.Loc)),
		Notes: []finding.Note{
			{Pos: d.pos(s.look), Message: queue + " is looked at here"},
			{Pos: s.add.Pos.Pos, Message: by + " adds to it here"},
			{Pos: s.ask.Pos.Pos, Message: "and asks for the flag here"},
		},
	}, s.look, useOf(s.look, s.clear.Instr), &w, "")
}
