package viewconsistency

import (
	"fmt"
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
	"github.com/atomvet/atomvet/passes/viewconsistency/internal/announce"
)

// An early withdrawal is the end of what an early signal is the beginning of. What has been
// announced is taken away while the mark that announces it is still there:
//
//	s.workers.remove(id) // WRONG: the worker of an entry
//	s.mu.Lock(); delete(s.entries, id); s.mu.Unlock()
//
//	s.mu.Lock()
//	if _, ok := s.entries[id]; ok {
//		s.workers.get(id).wake() // nil
//	}
//	s.mu.Unlock()
//
// Against a receiver who tests the mark and gets the data in two steps no order helps: it may have
// tested before either. One who does both in a section of the lock of the mark is right if
// the mark is taken away first. Only a receiver that follows what it gets unchecked is known to
// expect it there, so that nothing else is reported.

// An earlyWithdrawal is a write that takes data away, and a later one that takes the mark away.
type earlyWithdrawal struct {
	d          *detector
	data, mark *summary.Event
	receiver   *announce.Receiver
	read       *summary.Event // in the function of the receiver
}

// withdrawalRules decide about marks that outlive their data.
var withdrawalRules = rule.Set[*earlyWithdrawal]{
	{
		ID: "same-withdrawn", Kind: rule.Requires, Mechanism: rule.Definition,
		Cases: []string{"early.Depot.Swap"},
		Holds: (*earlyWithdrawal).sameData,
	}, {
		ID: "mark-tested", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"early.Yard.End"},
		Holds: (*earlyWithdrawal).leads,
	}, {
		ID: "follows-unchecked", Kind: rule.Requires, Mechanism: rule.Revalidated,
		Cases: []string{"early.Quay.End"},
		Holds: (*earlyWithdrawal).follows,
	}, {
		ID: "withdrawn-at-once", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"early.Depot.Drop"},
		Holds: (*earlyWithdrawal).oneStep,
	}, {
		ID: "withdrawal-receiver", Kind: rule.Requires, Mechanism: rule.SingleWriter,
		Cases: []string{"program.beacon.sink"},
		Holds: func(c *earlyWithdrawal) bool { return c.d.pkg.MayRunTogether(c.d.f, c.receiver.Fn) },
	},
}

// String describes the candidate for -why.
func (c *earlyWithdrawal) String() string {
	return fmt.Sprintf("%s: %s taken away at line %d before %s at line %d, but %s at line %d relies on the order", earlyWrite,
		c.d.f.NameOf(c.data), c.d.line(c.data.Pos.Pos), c.d.f.NameOf(c.mark), c.d.line(c.mark.Pos.Pos), summary.Name(c.receiver.Fn.Fn), c.d.line(c.read.Pos.Pos))
}

// Positions returns those of the two writes, of the read and of the function.
func (c *earlyWithdrawal) Positions() []token.Pos {
	return []token.Pos{c.data.Pos.Pos, c.mark.Pos.Pos, c.read.Pos.Pos, c.d.f.Fn.Pos()}
}

// earlyWithdrawals reports the writes that take away what is announced, each once.
func (d *detector) earlyWithdrawals(rules rule.Set[*earlyWithdrawal]) []finding.Finding {
	var out []finding.Finding
	for _, data := range d.f.Events {
		if !removes(data) {
			continue
		}
		if c := d.outlived(rules, data); c != nil {
			out = append(out, c.finding(rules.Doubts(d.judge, c)))
		}
	}
	return out
}

// removes reports whether a write takes something away.
func removes(e *summary.Event) bool {
	return e.Writes() && len(e.Holds) > 0 && e.Base != accesspath.Unknown && (e.Op&summary.Delete != 0 || e.Empties() && (e.Key == "" || e.Const == "nil"))
}

// outlived returns a candidate with the given data that the rules accept, or nil.
func (d *detector) outlived(rules rule.Set[*earlyWithdrawal], data *summary.Event) *earlyWithdrawal {
	for _, mark := range d.f.Events {
		if !removes(mark) || mark.Loc == data.Loc || mark.Instr == data.Instr || !d.precedes(data, mark) {
			continue
		}
		for _, to := range d.signals.Pairs(mark.Loc, data.Loc) {
			c := &earlyWithdrawal{d, data, mark, to.Receiver, to.Read}
			if (to.Kind == announce.Sets || to.Kind == announce.Inserts) && rule.Accept(d.judge, rules, c) {
				return c
			}
		}
	}
	return nil
}

// sameData: the receiver reads what the function takes away, of the same object, or the whole of a
// container or one element, as the function.
func (c *earlyWithdrawal) sameData() bool {
	if c.read.Base == accesspath.Unknown || (c.data.Key == "") != (c.read.Key == "") || (c.mark.Key == "") != (c.receiver.At.Key == "" && !c.iterates()) {
		return false
	}
	if c.data.Key == c.mark.Key != (c.read.Key == c.receiver.At.Key || c.iterates()) {
		return false
	}
	a, b := apart(c.mark.Base, c.data.Base)
	x, y := apart(c.receiver.At.Base, c.read.Base)
	return a == x && b == y
}

// leads: a test leads the receiver to the read as long as the mark is there, and both are in one
// section of a lock that the function needs to take the mark away.
func (c *earlyWithdrawal) leads() bool {
	g, test := c.receiver.Fn, c.receiver.At
	locks := c.d.f.Locks(c.mark)
	if !slices.ContainsFunc(g.HeldForward(test, c.read), func(l accesspath.Location) bool { return slices.Contains(locks, l) }) {
		return false
	}
	if c.iterates() {
		return true
	}
	for _, br := range g.Branches(c.read) {
		side := g.OnlySide(br, c.read.Instr)
		if side < 0 || !g.Order().Flows(test.Instr, br) {
			continue
		}
		for x := range branch.Implied(br.Cond, side == 0) {
			if slices.Contains(test.Values, x.Subject) && (x.Present() || x.NonNil() || x.NonEmpty() || excludesZero(x)) {
				return true
			}
		}
	}
	return false
}

// iterates reports whether the receiver goes through the marks, and the key of one is that of the
// read.
func (c *earlyWithdrawal) iterates() bool {
	key := accesspath.Path(c.read.Key)
	def := c.receiver.Fn.Res.Definition(key.Root())
	if e, ok := def.(*ssa.Extract); ok {
		def = e.Tuple
	}
	next, ok := def.(*ssa.Next)
	if !ok || key != key.Root() {
		return false
	}
	of, ok := next.Iter.(*ssa.Range)
	return ok && slices.Contains(c.receiver.At.Values, of.X)
}

// excludesZero reports whether a fact does not hold of the zero value.
func excludesZero(x branch.Fact) bool {
	if x.Const == nil {
		return false
	}
	switch x.Const.Kind() {
	case constant.Bool:
		return x.IsNot(constant.MakeBool(false)) || x.True()
	case constant.String:
		return x.IsNot(constant.MakeString(""))
	}
	return x.IsNot(constant.MakeInt64(0))
}

// follows: the receiver follows the pointer that it reads, without a test.
func (c *earlyWithdrawal) follows() bool {
	if c.receiver.Fn.Dereference(c.read) == nil || c.read.Tested() {
		return false
	}
	for br := range c.receiver.Fn.BranchesOn(c.read.Values) {
		if x := branch.Alone(br.Cond, true); slices.Contains(c.read.Values, x.Subject) {
			return false
		}
	}
	return true
}

// oneStep: a lock is held from the one write to the other, which the receiver needs as well.
func (c *earlyWithdrawal) oneStep() bool {
	g := c.receiver.Fn
	locks := slices.Concat(g.Locks(c.receiver.At), g.Locks(c.read))
	return slices.ContainsFunc(c.d.f.HeldForward(c.data, c.mark), func(l accesspath.Location) bool { return slices.Contains(locks, l) })
}

func (c *earlyWithdrawal) finding(doubts finding.Doubts) finding.Finding {
	d, g := c.d, summary.Name(c.receiver.Fn.Fn)
	mark, data := d.f.NameOf(c.mark), d.f.NameOf(c.data)
	f := finding.Finding{
		Pos:      c.data.Pos.Pos,
		Category: earlyWrite,
		Message: fmt.Sprintf("%s is taken away here, and %s, which tells that it is there, only at line %d; %s (%s) goes by that, and follows nil",
			data, mark, d.line(c.mark.Pos.Pos), g, c.read.Pos.Text),
		Doubts: doubts,
		Notes: []finding.Note{
			{Pos: c.mark.Pos.Pos, Message: mark + " is taken away here"},
			{Pos: c.receiver.At.Pos.Pos, Message: g + " looks whether it is there"},
			{Pos: c.read.Pos.Pos, Message: c.receiver.Fn.NameOf(c.read) + " is relied upon here"},
		},
	}
	f.Anchors = d.pkg.Anchors(summary.Split{
		Fset: d.pass.Fset, Func: d.f, Check: c.data, Act: c.mark,
		Readers: []*summary.View{{Func: g, Pos: c.read.Pos, Fn: c.receiver.Fn.ID}},
	})
	return f
}
