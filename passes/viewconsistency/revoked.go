package viewconsistency

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A revoked reference: a function asks one variable whether another one refers to something, and loads that in a later
// critical section, without a test. A function that sets it to nil, and says so in the first variable, may come in between:
//
//	func (c *Client) Send(b []byte) error {
//		if !c.isUp() { return errDown } // under c.mu
//		return c.current().Write(b)     // under c.connMu: WRONG, nil if Close has come in between
//	}
//
//	func (c *Client) Close() { c.setUp(false); c.setConn(nil) }
//
// In which order the two are set makes no difference, nor does it whether one critical section sets both.

// revokedRules decide about references that may be gone when they are followed.
var revokedRules = rule.Set[*revoked]{
	{
		ID: "revoked-side", Kind: rule.Excludes, Mechanism: rule.Lifecycle,
		Cases: []string{"revoked.Pump.Drain"},
		Holds: (*revoked).isAskedFor,
	}, {
		ID: "revoked-found", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"revoked.Pump.Try"},
		Holds: (*revoked).isTested,
	}, {
		ID: "revoked-decided", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"revoked.Pump.Check"},
		Holds: (*revoked).isDecided,
	}, {
		ID: "revoker-concurrent", Kind: rule.Requires, Mechanism: rule.Join,
		Cases: []string{"revoked.job.run"},
		Holds: (*revoked).meets,
	}, {
		ID: "revoker-kept-out", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"revoked.Pump.Flush", "revoked.Mill.Grind"},
		Holds: (*revoked).isKeptOut,
	}, {
		ID: "revoker-waits", Kind: rule.Excludes, Mechanism: rule.Join,
		Cases: []string{"revoked.Depot.Take"},
		Holds: (*revoked).isAwaited,
	}, {
		ID: "revoked-claimed", Kind: rule.Excludes, Mechanism: rule.InProgress,
		Cases: []string{"revoked.Stage.Play"},
		Holds: (*revoked).isClaimed,
	}, {
		ID: "revoked-deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance, Doubt: finding.Deep,
		Cases: []string{"revoked.Pump.Far"},
		Holds: func(c *revoked) bool { return c.test.Deep() || c.load.Deep() || c.clear.Deep() },
	},
}

// A revoked is a test of one variable that decides about the load of a reference, and a function that sets the reference to
// nil and writes the tested variable.
type revoked struct {
	d           *detector
	test, load  *summary.Event
	by          summary.Selection // of the two
	fails       ssa.Instruction   // if the reference is nil
	revoker     *summary.Func
	clear, mark *summary.Event // of revoker: of the reference, and of the tested variable
}

// String describes the candidate for -why.
func (c *revoked) String() string {
	return fmt.Sprintf("revoked: %s is tested at line %d, and %s followed at line %d, but %s sets it to nil (%s)", c.d.f.NameOf(c.test), c.d.line(c.test.Pos.Pos),
		c.d.f.NameOf(c.load), c.d.line(ssautil.Pos(c.fails)), summary.Name(c.revoker.Fn), c.clear.Pos.Text)
}

// Positions returns those of the two reads, of what fails and of the function.
func (c *revoked) Positions() []token.Pos {
	return []token.Pos{c.load.Pos.Pos, ssautil.Pos(c.fails), c.test.Pos.Pos, c.d.f.Fn.Pos()}
}

// revokedReferences adds the loads of references that may be nil to the findings, each once. A load that is already reported as a part of
// a view is left out, unless that finding has more doubts: then the nil dereference, which is the worse outcome, replaces it.
func (d *detector) revokedReferences(rules rule.Set[*revoked], findings []finding.Finding) []finding.Finding {
	if d.f.Test {
		return findings
	}
	for _, load := range d.f.Events {
		if !d.looksAlone(load) || load.Key != "" {
			continue
		}
		fails := failsOnNil(d.f, load)
		if fails == nil || len(d.revokers.of(load.Loc)) == 0 {
			continue
		}
		c := d.revoked(revoked{d: d, load: load, fails: fails}, rules)
		if c == nil {
			continue
		}
		found := c.finding(rules.Doubts(d.judge, c))
		same := func(f finding.Finding) bool { return f.Pos == found.Pos }
		if !slices.ContainsFunc(findings, func(f finding.Finding) bool { return same(f) && len(f.Doubts) <= len(found.Doubts) }) {
			findings = append(slices.DeleteFunc(findings, same), found)
		}
	}
	return findings
}

// looksAlone reports whether an access only reads, in a critical section.
func (d *detector) looksAlone(e *summary.Event) bool {
	return looks(e) && !e.Writes() && len(e.Holds) > 0 && e.Base != accesspath.Unknown && !e.Base.IsLocal()
}

// revoked returns a candidate with a test and a revoker that the rules accept, or nil.
func (d *detector) revoked(c revoked, rules rule.Set[*revoked]) *revoked {
	for _, test := range d.f.Events {
		if test.Loc == c.load.Loc || test.Key != "" || !accesspath.Same(test.Base, c.load.Base) || !d.looksAlone(test) {
			continue
		}
		if c.test, c.by = test, d.selected(test, c.load); c.by.Branch == nil || isFailure(c.by.Branch) && test.Callee == nil {
			continue
		}
		for _, r := range d.revokers.of(c.load.Loc) {
			for _, mark := range r.f.Events {
				if mark.Loc != test.Loc || !mark.Writes() || !accesspath.Same(mark.Base, r.clear.Base) {
					continue
				}
				one := c
				if one.revoker, one.clear, one.mark = r.f, r.clear, mark; rule.Accept(d.judge, rules, &one) {
					return &one
				}
			}
		}
	}
	return nil
}

// isAskedFor: the load is made where the variable has the value that the revoker gives it: the function is there for what has
// been revoked.
//
//	if p.isDown() { p.current().drain() }
func (c *revoked) isAskedFor() bool {
	if c.mark.Const == "" {
		return false
	}
	return c.by.Side == c.d.f.FoundSide(c.by.Branch.Cond, c.test, func(f branch.Fact) bool {
		switch c.mark.Const {
		case "true":
			return f.True()
		case "false":
			return f.False()
		case "nil":
			return f.Nil()
		}
		return f.Relation == branch.Equal && f.Const != nil && f.Const.ExactString() == c.mark.Const
	})
}

// isTested: the function tests what it has loaded, or has tested it by another load of the section, or the callee that loads it does:
// that has something else to return.
func (c *revoked) isTested() bool {
	if c.load.Tested() || isTestedBefore(c.d.f, c.load) || isTestedInCallee(c.d.pkg, c.d.f, c.load) {
		return true
	}
	for br := range c.d.f.BranchesOn(c.load.Values) {
		if slices.Contains(c.load.Values, branch.Alone(br.Cond, true).Subject) {
			return true
		}
	}
	return false
}

// isDecided: the critical section of the load also reads another variable of the object, and a branch tests it: that may revalidate the
// reference.
//
//	c.mu.Lock(); conn, closed := c.conn, c.closed; c.mu.Unlock()
func (c *revoked) isDecided() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e != c.test && e.Reads() && e.Loc != c.load.Loc && accesspath.Same(e.Base, c.load.Base) && summary.SharePassage(e, c.load) && isBranchedOn(c.d.f, e)
	})
}

// meets: the revoker can run beside the function.
func (c *revoked) meets() bool { return c.d.pkg.Processes().MayRunTogether(c.d.f, c.revoker) }

// isKeptOut: a lock is held from the test to the load that the revoker needs, or takes on its way from the one write to the other.
//
//	c.setUp(false)
//	c.users.Lock(); c.users.Unlock() // waits for those who hold it for reading
//	c.setConn(nil)
func (c *revoked) isKeptOut() bool {
	if c.d.f.KeepsOut(c.test, c.load, c.revoker, c.clear) {
		return true
	}
	through := c.d.f.HeldThrough(c.test, c.load)
	return slices.ContainsFunc(c.revoker.Takings(), func(t summary.Taking) bool {
		return slices.Contains(through, t.Guard.Class) && c.revoker.Order().MustPass(c.mark.Instr, t.Instr, c.clear.Instr)
	})
}

// isAwaited: the revoker waits for other goroutines before it sets the reference to nil, of which the function may be one.
//
//	c.setUp(false); c.users.Wait(); c.setConn(nil)
func (c *revoked) isAwaited() bool {
	order := c.revoker.Order()
	for _, b := range c.revoker.Fn.Blocks {
		for _, instr := range b.Instrs {
			if funcsum.Waits(instr) && order.Flows(c.mark.Instr, instr) && order.Flows(instr, c.clear.Instr) {
				return true
			}
		}
	}
	return false
}

// isClaimed: the section of the test also writes something: that the function is there, for whom the revoker may ask.
//
//	c.mu.Lock(); up := c.up; if up { c.users++ }; c.mu.Unlock()
func (c *revoked) isClaimed() bool {
	return slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && summary.SharePassage(w, c.test) && (w.Ord == c.test.Ord || c.d.f.Order().Flows(w.Instr, c.load.Instr))
	})
}

func (c *revoked) finding(doubts finding.Doubts) finding.Finding {
	d := c.d
	name, by := d.f.NameOf(c.load), summary.Name(c.revoker.Fn)
	return finding.Finding{
		Pos:      c.load.Pos.Pos,
		Category: splitRead,
		Message: fmt.Sprintf("%s at line %d and %s here are read apart, in separate critical sections, and the one decides that the other is followed; %s (%s) sets it to nil, and if it runs in between, this panics",
			d.f.NameOf(c.test), d.line(c.test.Pos.Pos), name, by, c.clear.Pos.Text),
		Doubts: doubts,
		Group:  fmt.Sprint(d.f.Fn.Pos(), " revoked ", c.load.Loc),
		Notes: []finding.Note{
			{Pos: c.test.Pos.Pos, Message: d.f.NameOf(c.test) + " is read here"},
			{Pos: ssautil.Pos(c.fails), Message: name + " is followed here"},
			{Pos: c.clear.Pos.Pos, Message: "it is set to nil here, by " + by},
			{Pos: c.mark.Pos.Pos, Message: by + " writes the other one here"},
		},
	}
}
