package stalevalue

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// Lost wake-up by a channel that is closed and replaced at each change: the channel that is waited for is fetched after the look at the state.
//
//	for s.log.applied() < n { // under s.log.mu
//		<-s.bell.next() // WRONG: b.ch, under b.mu, may have been replaced since
//	}
//
//	func (s *S) run(e entry) { s.log.apply(e); s.bell.ring() } // close(b.ch); b.ch = make(chan struct{})
//
// It is the subscription of a lost notification: the waiter has missed the change, and waits for the next one. State and channel that are
// changed in one section are a view, of which viewconsistency knows.

// lateFetches reports the first fetch of such a channel that comes after the look.
func (d *detector) lateFetches(rules rule.Set[*lostNotification]) {
	for _, fetch := range d.f.Events {
		by := d.others.Rings(fetch.Loc)
		if len(by) == 0 || !fetch.Reads() || fetch.Writes() {
			continue
		}
		wait := d.receiveAfter(fetch, func(ch ssa.Value) bool { return d.f.Slice(ch).HasAny(fetch.Values) })
		if wait == nil {
			continue
		}
		for _, first := range d.f.Events {
			for i := range by[first.Loc] {
				if l := d.lateFetch(first, fetch, &by[first.Loc][i], wait); l != nil && rule.Accept(d.judge, rules, l) {
					d.findings = append(d.findings, l.finding(staleUse, fmt.Sprintf(
						"%s was checked at line %d before %s is fetched here to wait for it; "+
							"%s (%s), which writes the one and then closes and replaces the other, may run in between and be missed",
						d.f.NameOf(first), d.line(d.pos(first)), d.f.NameOf(fetch), l.other.Func, l.other.Pos.Text), "checked", rules.Doubts(d.judge, l)))
					return
				}
			}
		}
	}
}

// lateFetch returns the lost notification if the wait is control dependent on a check that comes before the read of the channel, or nil.
func (d *detector) lateFetch(first, fetch *summary.Event, ring *counterpart.Notification, wait ssa.Instruction) *lostNotification {
	if !first.Reads() || first.Ord == fetch.Ord || len(first.Values) == 0 || ring.Joint || !areApart(first, fetch, ring.Way) ||
		!d.f.Order().Exists(summary.Way{From: first.Instr, To: fetch.Instr, Forward: true}) ||
		!d.f.Decides(first, wait.Block()) || !d.ends(first, fetch, &ring.Writer) {
		return nil
	}
	return &lostNotification{late{d, first, fetch, &ring.Writer}, awaited, wait}
}
