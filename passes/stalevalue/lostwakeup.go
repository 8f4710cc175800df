package stalevalue

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// A lost wake-up: a function waits on a condition variable because of a variable that
// another function changes without the mutex of the condition variable, and also signals
// without it.
//
//	for !s.closed.Load() {
//		s.cond.Wait() // releases s.mu
//	}
//
//	s.closed.Store(true)
//	s.cond.Broadcast()
//
// The change and the signal can both come between the test and the wait. The waiter then
// sleeps until the next signal, if there is one. A signal under the mutex is right even if
// the change is not: the waiter either has not tested the variable yet, or waits already.

// A lostWakeup is a test and a wait that it decides, with the function that changes what is
// tested and then signals.
type lostWakeup struct {
	d     *detector
	test  *summary.Event
	wait  ssa.Instruction
	guard lockset.Guard // the mutex that the wait releases
	by    *counterpart.Waking
}

func (l *lostWakeup) String() string {
	return fmt.Sprintf("lost-wake-up: %s tested at line %d, wait at line %d, signal by %s, in %s",
		l.d.f.NameOf(l.test), l.d.line(l.test.Instr.Pos()), l.d.line(l.wait.Pos()), l.by.Func, summary.Name(l.d.f.Fn))
}

func (l *lostWakeup) Positions() []token.Pos {
	return []token.Pos{l.wait.Pos(), l.test.Instr.Pos(), l.d.f.Fn.Pos()}
}

// lostWakeups reports the waits of the function for which a wake-up can be lost.
func (d *detector) lostWakeups(rules rule.Set[*lostWakeup]) {
	if d.f.Test {
		return
	}
	for wait, guard := range d.waits() {
		mutex := d.others.Mutex(d.f, guard)
		if mutex == "" {
			continue
		}
		branches := d.f.Branches(&summary.Event{Instr: wait})
		if l := d.lostWakeup(wait, guard, mutex, d.testedBy(branches), rules); l != nil {
			d.findings = append(d.findings, l.finding())
		}
	}
}

// waits yields the instructions that wait, and the mutexes that they release, in order.
func (d *detector) waits() func(yield func(ssa.Instruction, lockset.Guard) bool) {
	return func(yield func(ssa.Instruction, lockset.Guard) bool) {
		for _, b := range d.f.Fn.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range d.f.Ops()[instr] {
					if op.Waits && !yield(instr, op.Guard) {
						return
					}
				}
			}
		}
	}
}

// testedBy returns the reads that one of the branches depends on, and the lengths of channels.
func (d *detector) testedBy(branches []*ssa.If) []*summary.Event {
	var out []*summary.Event
	for _, br := range branches {
		slice := d.f.Slice(br.Cond)
		for _, e := range d.f.Events {
			if e.Reads() && slice.HasAny(e.Values) && !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
		for _, v := range slice {
			if e := d.channelLength(v); e != nil {
				out = append(out, e)
			}
		}
	}
	return out
}

// channelLength returns the read that v is if it is the length of a shared channel, or nil.
func (d *detector) channelLength(v ssa.Value) *summary.Event {
	c, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if ssautil.Builtin(&c.Call) != "len" {
		return nil
	}
	loc := callgraph.ChanLocation(c.Call.Args[0])
	if _, isChan := c.Call.Args[0].Type().Underlying().(*types.Chan); !isChan || loc == "" {
		return nil
	}
	ref := d.f.Res.Resolve(c.Call.Args[0])
	ref.Loc = loc
	return &summary.Event{Instr: c, Op: summary.Read, Ref: ref, Values: []ssa.Value{v}}
}

// lostWakeup returns the first of the tests for which the wake-up can be lost, or nil.
func (d *detector) lostWakeup(wait ssa.Instruction, guard lockset.Guard, mutex accesspath.Location, tests []*summary.Event, rules rule.Set[*lostWakeup]) *lostWakeup {
	for _, test := range tests {
		if !d.f.Order().StaysBetween(test.Instr, wait, guard.Path) {
			continue // the mutex is taken after the test
		}
		wakings := d.others.Wakes(mutex, test.Loc)
		for i := range wakings {
			if l := (&lostWakeup{d, test, wait, guard, &wakings[i]}); rule.Accept(d.judge, rules, l) {
				return l
			}
		}
	}
	return nil
}

// hasRival: the function that signals can run between the test and the wait.
func (l *lostWakeup) hasRival() bool {
	return rival{d: l.d, writer: &l.by.Writer, base: l.test.Base, held: l.d.heldAt(l.wait)}.runs()
}

func (l *lostWakeup) finding() finding.Finding {
	d, name := l.d, l.d.f.NameOf(l.test)
	mutex := d.f.GuardName(summary.Hold{Guard: l.guard})
	at := ssautil.Pos(l.test.Instr)
	return d.interruption(finding.Finding{
		Pos:      l.wait.Pos(),
		Category: checkThenAct,
		Message: fmt.Sprintf("the wait depends on %s, tested at line %d; %s changes it and signals without %s (%s), and both may happen before this wait begins, which then misses the wake-up",
			name, d.line(at), l.by.Func, mutex, l.by.Signal.Text),
		Notes: []finding.Note{
			{Pos: at, Message: name + " is tested here"},
			{Pos: l.by.Pos.Pos, Message: name + " is changed here, by " + l.by.Func},
			{Pos: l.by.Signal.Pos, Message: "the signal, without " + mutex},
		},
	}, l.test, useOf(l.test, l.wait), &l.by.Writer, "")
}
