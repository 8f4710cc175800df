package stalevalue

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
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
// Reset and Stop do not wait for a function that has begun. So it is with a timer that is stopped, and a state that says so:
//
//	s.mu.Lock(); u.timer.Stop(); u.state = stopped; s.mu.Unlock()
//
//	func (s *S) restart(u *unit) { s.mu.Lock(); u.state = running; s.mu.Unlock() } // WRONG: it may have been stopped
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
		for _, act := range d.f.Events {
			if !act.Writes() || !endsRenewed(act, r) || act.Callee != nil && d.f.Fn.Parent() != nil {
				continue
			}
			if l := (&lateTimer{d, act, r}); rule.Accept(d.judge, rules, l) {
				d.findings = append(d.findings, l.finding(rules.Doubts(d.judge, l)))
				return
			}
		}
	}
}

// endsRenewed reports whether an act removes something that has been renewed, or overwrites the state that says that the timer
// has been stopped.
func endsRenewed(act *summary.Event, r counterpart.Renewal) bool {
	if r.Marks == nil {
		return act.Op&summary.Delete != 0
	}
	mark, ok := r.Marks[act.Loc]
	return ok && act.Op&summary.Delete == 0 && act.Const != "" && act.Const != mark
}

// sharesLock: the act is made under a lock of the renewal.
func (l *lateTimer) sharesLock() bool {
	return slices.ContainsFunc(l.d.f.Locks(l.act), func(class accesspath.Location) bool { return slices.Contains(l.renewal.Locks, class) })
}

// looksAtRenewal: the function reads something that the renewal writes.
func (l *lateTimer) looksAtRenewal() bool {
	return slices.ContainsFunc(l.d.f.Events, func(e *summary.Event) bool { return e.Reads() && slices.Contains(l.renewal.Writes, e.Loc) })
}

func (l *lateTimer) finding(doubts finding.Doubts) finding.Finding {
	d := l.d
	done, how := "removed", "sets the timer anew"
	if l.renewal.Marks != nil {
		done, how = "written", "stops the timer"
	}
	f := finding.Finding{
		Pos: d.pos(l.act), Category: checkThenAct, Doubts: doubts,
		Message: fmt.Sprintf("%s is %s here when the time is up, but this may have begun and have waited for the lock while %s (%s) %s: what it notes is not asked for",
			d.f.NameOf(l.act), done, l.renewal.Func, l.renewal.Pos.Text, how),
	}
	if l.renewal.Pos.Pos.IsValid() {
		f.Notes = append(f.Notes, finding.Note{Pos: l.renewal.Pos.Pos, Message: l.renewal.Func + " " + how + " here"})
	}
	return f
}
