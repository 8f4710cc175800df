package stalevalue

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/summary"
)

// A lateTimer is a function of a timer that ends an object without a look at what those note who set the timer anew: it may have
// begun before, and have waited for their lock.
//
//	l.timer = time.AfterFunc(ttl, func() { s.expire(id) })
//
//	func (s *S) expire(id int) { s.mu.Lock(); delete(s.leases, id); s.mu.Unlock() } // WRONG: l.deadline may be later by now
//
//	func (s *S) renew(l *lease) { // under s.mu
//		l.deadline = now.Add(ttl)
//		l.timer.Reset(ttl)
//	}
//
// Reset and Stop do not wait for a function that has begun. So it is with a state that says that it is too late, which who sets the
// timer anew takes back; with a timer that is stopped, and a state that says so:
//
//	s.mu.Lock(); u.timer.Stop(); u.state = stopped; s.mu.Unlock()
//
//	func (s *S) restart(u *unit) { s.mu.Lock(); u.state = running; s.mu.Unlock() } // WRONG: it may have been stopped
//
// or that clears what the function needs, which is nil then:
//
//	s.mu.Lock(); u.timer.Stop(); u.queue = nil; s.mu.Unlock()
//
//	func (s *S) flush(u *unit) { s.mu.Lock(); u.queue.send(); s.mu.Unlock() } // WRONG: it may have been stopped
type lateTimer struct {
	d       *detector
	act     *summary.Event
	renewal counterpart.Renewal
}

func (l *lateTimer) String() string {
	return fmt.Sprintf("late-timer: %s at line %d, while %s sets the timer anew, in %s", l.d.f.NameOf(l.act), l.d.line(l.d.pos(l.act)), l.renewal.Func, summary.Name(l.d.f.Fn))
}

func (l *lateTimer) Positions() []token.Pos {
	return []token.Pos{l.d.pos(l.act), l.d.f.Fn.Pos()}
}

// lateTimers reports the first such act. What a literal has others do is reported there.
func (d *detector) lateTimers(rules rule.Set[*lateTimer]) {
	for _, r := range d.others.Renewals(d.f) {
		if r.Fn == d.f.ID {
			continue // it sets its own timer
		}
		for _, act := range d.f.Events {
			if !endsRenewed(act, r) || act.Callee != nil && d.f.Fn.Parent() != nil {
				continue
			}
			if l := (&lateTimer{d, act, r}); rule.Accept(d.judge, rules, l) {
				d.findings = append(d.findings, l.finding(rules.Doubts(d.judge, l)))
				return
			}
		}
	}
}

// endsRenewed reports whether an act removes something that has been renewed, overwrites the state that says that the timer
// has been stopped, or needs what has been cleared then.
func endsRenewed(act *summary.Event, r counterpart.Renewal) bool {
	switch {
	case r.Clears != nil:
		return act.Callee == nil && act.Key == "" && act.Reads() && !act.Writes() && slices.Contains(r.Clears, act.Loc) && slices.ContainsFunc(act.Values, needsObject)
	case !act.Writes():
		return false
	case !r.Stops && act.Op&summary.Delete != 0:
		return true
	}
	mark, ok := r.Marks[act.Loc]
	return ok && act.Op&summary.Delete == 0 && act.Const != "" && act.Const != mark
}

// needsObject reports whether a use of a reference fails if it is nil: an access to one of its fields, a call of a method, or
// the insertion of an element.
func needsObject(v ssa.Value) bool {
	return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.FieldAddr:
			return use.X == v
		case *ssa.MapUpdate:
			return use.Map == v
		case ssa.CallInstruction:
			c := use.Common()
			return c.IsInvoke() && c.Value == v || c.Signature().Recv() != nil && len(c.Args) > 0 && c.Args[0] == v
		}
		return false
	})
}

// sharesLock: the act is made under a lock of the renewal.
func (l *lateTimer) sharesLock() bool {
	return slices.ContainsFunc(l.d.f.Locks(l.act), func(class accesspath.Location) bool { return slices.Contains(l.renewal.Locks, class) })
}

// looksAtRenewal: the function, or a callee of it, goes by a location that the renewal writes, or compares one that it clears with nil.
func (l *lateTimer) looksAtRenewal() bool {
	if l.renewal.Clears != nil {
		return slices.ContainsFunc(l.d.f.Events, func(e *summary.Event) bool {
			return e.Reads() && slices.Contains(l.renewal.Clears, e.Loc) && slices.ContainsFunc(e.Values, ssautil.IsComparedWithNil)
		})
	}
	return slices.ContainsFunc(l.d.f.Events, func(e *summary.Event) bool {
		return e.Reads() && slices.Contains(l.renewal.Writes, e.Loc) && (e.Callee != nil || e.Tested() || l.d.f.DecidesBranch(e.Values))
	})
}

func (l *lateTimer) finding(doubts finding.Doubts) finding.Finding {
	d := l.d
	done, how := "removed", "sets the timer anew"
	switch {
	case l.renewal.Clears != nil:
		done, how = "used", "stops the timer and sets it to nil"
	case l.renewal.Stops:
		done, how = "written", "stops the timer"
	case l.act.Op&summary.Delete == 0:
		done = "written"
	}
	return d.interruption(finding.Finding{
		Pos: d.pos(l.act), Category: checkThenAct, Doubts: doubts,
		Message: fmt.Sprintf("%s is %s here when the time is up, but this may have begun and have waited for the lock while %s (%s) %s: what it notes is not asked for",
			d.f.NameOf(l.act), done, l.renewal.Func, l.renewal.Pos.Text, how),
	}, l.act, l.act, &l.renewal.Writer, l.renewal.Func+" "+how+" here")
}
