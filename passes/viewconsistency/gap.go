package viewconsistency

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A gap: an element is taken out of one place in one critical section, and put into another place
// in a later one. In between it is in a local variable only, and in neither place. A function that
// looks in both, and finds nothing, acts as if there were no such element:
//
//	s.mu.Lock(); j := s.waiting[id]; delete(s.waiting, id); s.mu.Unlock()
//	s.mu.Lock(); s.running[id] = j; s.mu.Unlock() // WRONG: Cancel may have looked in between
//
//	func (s *Sched) Cancel(id string) error { // under s.mu
//		if s.waiting[id] == nil && s.running[id] == nil {
//			return errUnknown
//		}
//
// Each of the two places may have a lock of its own, and the two looks may be in two critical
// sections, in either order. To put the element into the second place first leaves no gap.
//
// The second place may also be a count of what is in work:
//
//	j := s.pop()
//	s.enter() // s.busy++, WRONG: a wait for an empty s.queue and s.busy == 0 may end before this
//	defer s.leave()

// gapRules decide about elements that are in neither of two places for a while.
var gapRules = rule.Set[*gap]{
	{
		ID: "looker-concludes", Kind: rule.Requires, Mechanism: rule.NoDependency,
		Cases: []string{"gap.Tally.Send"},
		Holds: (*gap).concludes,
	}, {
		ID: "looker-concurrent", Kind: rule.Requires, Mechanism: rule.Join,
		Cases: []string{"gap.Loader.send"},
		Holds: (*gap).meets,
	}, {
		ID: "looker-kept-out", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"gap.Depot.SendInOne", "gap.Yard.Send"},
		Holds: (*gap).keptOut,
	}, {
		ID: "marked-on-the-way", Kind: rule.Excludes, Mechanism: rule.Revalidated,
		Cases: []string{"gap.Hub.Send"},
		Holds: (*gap).markedOnTheWay,
	}, {
		ID: "entered-first", Kind: rule.Excludes, Mechanism: rule.NotPublished,
		Cases: []string{"gap.Depot.SendAgain"},
		Holds: (*gap).enteredFirst,
	}, {
		ID: "entered-on-failure", Kind: rule.Excludes, Mechanism: rule.Lifecycle,
		Cases: []string{"gap.Leases.Revoke"},
		Holds: (*gap).enteredOnFailure,
	}, {
		ID: "gap-deep", Kind: rule.DoubtsStrongly, Mechanism: rule.Distance, Doubt: finding.Deep,
		Cases: []string{"gap.Depot.SendDeep"},
		Holds: (*gap).deep,
	},
}

// A gap is a removal and a later insertion of what was found with it, and a function that looks for
// elements in both places.
type gap struct {
	d              *detector
	taken, entered *summary.Event
	looker         *summary.Func
	looks          [2]*summary.Event // of looker: at the place of taken, and at that of entered
}

// String describes the candidate for -why.
func (c *gap) String() string {
	return fmt.Sprintf("gap: taken out of %s at line %d and put into %s at line %d, but %s looks in both (%s)", c.d.f.NameOf(c.taken),
		c.d.line(c.taken.Pos.Pos), c.d.f.NameOf(c.entered), c.d.line(c.entered.Pos.Pos), summary.Name(c.looker.Fn), c.looks[0].Pos.Text)
}

// Positions returns those of the two writes and of the function.
func (c *gap) Positions() []token.Pos {
	return []token.Pos{c.entered.Pos.Pos, c.taken.Pos.Pos, c.d.f.Fn.Pos()}
}

// gaps reports the insertions that leave a gap, each once.
func (d *detector) gaps(rules rule.Set[*gap]) []finding.Finding {
	var out []finding.Finding
	for _, taken := range d.f.Events {
		if !d.takesOut(taken) {
			continue
		}
		values := d.foundWith(taken)
		for _, entered := range d.f.Events {
			if !d.movesOn(taken, entered, values) {
				continue
			}
			if c := d.lookFor(taken, entered, rules); c != nil {
				out = append(out, c.finding(rules.Doubts(d.judge, c)))
			}
		}
	}
	return out
}

// takesOut reports whether a write removes an element from a place that others can see.
func (d *detector) takesOut(w *summary.Event) bool {
	_, deferred := w.Instr.(*ssa.Defer)
	return w.Writes() && !w.Distant && !deferred && len(w.Holds) > 0 && w.Effect() == summary.Removes
}

// movesOn reports whether a later step puts what was taken out into another place: one of the values that were found there, or
// an element with the same key.
func (d *detector) movesOn(taken, entered *summary.Event, values []ssa.Value) bool {
	if !d.putsLater(taken, entered) || entered.Loc == taken.Loc {
		return false
	}
	if d.carriesKeys(taken, entered) {
		order := d.f.Order()
		return order.Flows(taken.Instr, entered.Instr) && !order.Flows(entered.Instr, taken.Instr)
	}
	return (d.carries(entered, values) || entered.Base == taken.Base && d.tellsOf(entered)) && d.followsForward(taken, entered)
}

// putsLater reports whether an access puts something into a place that others can see, at another instruction than that which
// has taken something out.
func (d *detector) putsLater(taken, entered *summary.Event) bool {
	return entered.Writes() && !entered.Distant && entered.Op&summary.Delete == 0 && len(entered.Holds) > 0 && entered.Ord != taken.Ord
}

// followsForward reports whether a path without a back edge of a loop leads from the one access to the other.
func (d *detector) followsForward(taken, entered *summary.Event) bool {
	return d.f.Order().Exists(summary.Way{From: taken.Instr, To: entered.Instr, Forward: true})
}

// tellsOf reports whether a write counts one more of what is counted down again.
func (d *detector) tellsOf(w *summary.Event) bool {
	info := d.pkg.Location(w.Loc)
	return w.Delta() && w.Effect() == summary.Raises && slices.ContainsFunc(info.Writers, func(o summary.Writer) bool { return o.Effect == summary.Lowers })
}

// foundWith returns what the critical section of a removal has read where it removes.
func (d *detector) foundWith(taken *summary.Event) []ssa.Value {
	var out []ssa.Value
	for _, r := range d.f.Events {
		if r.Reads() && r.Loc == taken.Loc && r.Base == taken.Base && (r == taken || summary.SharePassage(r, taken)) {
			out = append(out, r.Values...)
		}
	}
	return out
}

// carries reports whether a write puts in one of the values.
func (d *detector) carries(entered *summary.Event, values []ssa.Value) bool {
	return len(values) > 0 && !entered.Delta() && slices.ContainsFunc(entered.Inputs, func(in ssa.Value) bool { return d.f.Slice(in).HasAny(values) })
}

// carriesKeys reports whether the later write puts something in under the keys that the earlier one removed, all those of a
// list.
//
//	for _, p := range team { delete(s.waiting, p) }
//	for _, p := range team { s.playing[p] = id }
func (d *detector) carriesKeys(taken, entered *summary.Event) bool {
	keys := listOf(taken)
	return keys != nil && keys == listOf(entered) && !entered.Delta() && accesspath.Same(entered.Base, taken.Base)
}

// listOf returns the list whose element is the key of a write of a map, or nil.
func listOf(w *summary.Event) ssa.Value {
	var key ssa.Value
	switch instr := w.Instr.(type) {
	case *ssa.MapUpdate:
		key = instr.Key
	case *ssa.Call:
		if ssautil.Builtin(&instr.Call) == "delete" {
			key = instr.Call.Args[1]
		}
	}
	if load, ok := key.(*ssa.UnOp); ok {
		if at, ok := load.X.(*ssa.IndexAddr); ok {
			return at.X
		}
	}
	return nil
}

// lookFor returns a candidate that the rules accept, or nil.
func (d *detector) lookFor(taken, entered *summary.Event, rules rule.Set[*gap]) *gap {
	for _, first := range d.lookers.at[taken.Loc] {
		i := slices.IndexFunc(d.lookers.at[entered.Loc], func(l looking) bool { return l.f == first.f })
		if i < 0 || first.f == d.f {
			continue
		}
		for _, one := range first.looks {
			for _, two := range d.lookers.at[entered.Loc][i].looks {
				if c := (&gap{d, taken, entered, first.f, [2]*summary.Event{one, two}}); rule.Accept(d.judge, rules, c) {
					return c
				}
			}
		}
	}
	return nil
}

// concludes: the function that looks in both places does something, fails, or waits no longer, because it has
// found nothing in either.
func (c *gap) concludes() bool {
	known := c.d.lookers.concluding
	is, ok := known[c.looks]
	if !ok {
		is = concludes(c.looker, c.looks)
		known[c.looks] = is
	}
	return is
}

// concludes reports whether g does something, fails, or waits no longer, because two looks have found nothing.
func concludes(g *summary.Func, looks [2]*summary.Event) bool {
	acts := func(b *ssa.BasicBlock) bool {
		return !slices.ContainsFunc(looks[:], func(e *summary.Event) bool { return !g.Decides(e, b) || found(g, b, e) })
	}
	for _, w := range g.Events {
		if w.Writes() && w.Instr.Parent() == g.Fn && acts(w.Instr.Block()) {
			return true
		}
	}
	for _, b := range g.Fn.Blocks {
		if g.Order().Flows(b.Instrs[0], b.Instrs[0]) && acts(b) {
			return true
		}
	}
	return slices.ContainsFunc(ssautil.Returns(g.Fn), func(r *ssa.Return) bool { return fails(r) && acts(r.Block()) })
}

// found reports whether control is in block b of g only if the access has found an element.
func found(g *summary.Func, b *ssa.BasicBlock, e *summary.Event) bool {
	return g.Knows(e, b, func(f branch.Fact) bool { return f.NonNil() || f.Present() || f.NonEmpty() }) || g.HasFound(e, b)
}

// fails reports whether a function returns an error that is not nil.
func fails(r *ssa.Return) bool {
	if len(r.Results) == 0 {
		return false
	}
	last := r.Results[len(r.Results)-1]
	k, constant := last.(*ssa.Const)
	return ssautil.IsError(last.Type()) && !(constant && k.IsNil())
}

// meets: the other function can look at the same object while the element is put into the second place: it has not waited for the
// goroutine that does that.
func (c *gap) meets() bool {
	return c.d.pkg.Processes().ConcurrentAccesses(c.d.f, c.entered, c.looker, c.looks[1])
}

// keptOut: a lock that one of the two looks needs is held from the removal to the insertion.
func (c *gap) keptOut() bool {
	return slices.ContainsFunc(c.looks[:], func(e *summary.Event) bool { return c.d.f.KeepsOut(c.taken, c.entered, c.looker, e) })
}

// markedOnTheWay: the critical section of the removal notes that something is on its way, and the
// function that looks asks for this note, too.
//
//	s.mu.Lock(); j := s.pop(); s.moving++; s.mu.Unlock()
func (c *gap) markedOnTheWay() bool {
	return slices.ContainsFunc(c.d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc != c.taken.Loc && w.Loc != c.entered.Loc && summary.SharePassage(w, c.taken) &&
			slices.ContainsFunc(c.looker.Events, func(r *summary.Event) bool {
				return r.Loc == w.Loc && looks(r) && c.looker.DecidesBranch(r.Values)
			})
	})
}

// enteredFirst: the function has put something into the second place before the removal, too.
func (c *gap) enteredFirst() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e != c.entered && e.Writes() && e.Op&summary.Delete == 0 && e.Loc == c.entered.Loc &&
			(summary.SharePassage(e, c.taken) || c.d.f.Order().Exists(summary.Way{From: e.Instr, To: c.taken.Instr, Forward: true}))
	})
}

// enteredOnFailure: the element is put into the second place only if something has failed that was done with it meanwhile. Where it has not, the
// element is in neither place for good, and that is what the function that looks finds in between, too.
//
//	s.mu.Lock(); l := s.leases[id]; delete(s.leases, id); s.mu.Unlock()
//	if err := s.backend.revoke(l); err != nil {
//		s.mu.Lock(); s.failed = append(s.failed, l); s.mu.Unlock() // is tried again
//	}
func (c *gap) enteredOnFailure() bool {
	for f, e := range c.d.pkg.Processes().Descent(c.d.f, c.entered) {
		if c.hasFailed(f, e.Instr.Block()) {
			return true
		}
	}
	return false
}

// hasFailed reports whether control is in a block, of the function or of one that it calls, only after an error since the removal.
func (c *gap) hasFailed(f *summary.Func, b *ssa.BasicBlock) bool {
	for is := range branch.At(b) {
		err, ok := is.Subject.(ssa.Instruction)
		if ok && is.NonNil() && ssautil.IsError(is.Subject.Type()) && (f != c.d.f || f.Order().Flows(c.taken.Instr, err)) {
			return true
		}
	}
	return false
}

// deep: the accesses are made many calls away, and much may be decided on the way there.
func (c *gap) deep() bool {
	return slices.ContainsFunc([]*summary.Event{c.taken, c.entered, c.looks[0], c.looks[1]}, func(e *summary.Event) bool { return e.Deep() || e.Calls() > 2 })
}

func (c *gap) finding(doubts finding.Doubts) finding.Finding {
	d := c.d
	from, to, by := d.f.NameOf(c.taken), d.f.NameOf(c.entered), summary.Name(c.looker.Fn)
	lost := "it is in neither"
	if d.tellsOf(c.entered) {
		lost = "nothing tells of it"
	}
	message := fmt.Sprintf("%s is written here for what was taken out of %s at line %d, in an earlier critical section: in between %s, and %s (%s), which looks in both, finds nothing",
		to, from, d.line(c.taken.Pos.Pos), lost, by, c.looks[0].Pos.Text)
	return c.report(message, fmt.Sprint(" gap ", c.taken.Loc, c.entered.Loc), doubts,
		finding.Note{Pos: c.taken.Pos.Pos, Message: "it is taken out of " + from + " here"},
		finding.Note{Pos: c.looks[0].Pos.Pos, Message: by + " looks here"},
		finding.Note{Pos: c.looks[1].Pos.Pos, Message: "and here"})
}

// report returns the finding about the insertion. Those of one function with the same group are folded.
func (c *gap) report(message, group string, doubts finding.Doubts, notes ...finding.Note) finding.Finding {
	d := c.d
	f := finding.Finding{
		Pos: c.entered.Pos.Pos, Category: splitWrite, Message: message, Doubts: doubts, Notes: notes,
		Group: fmt.Sprint(ssautil.Declaration(d.f.Fn).Pos(), group),
	}
	f.Anchors = d.pkg.Anchors(summary.Split{
		Fset: d.pass.Fset, Func: d.f, Check: c.taken, Act: c.entered,
		Readers: []*summary.View{{Func: summary.Name(c.looker.Fn), Pos: c.looks[0].Pos, Fn: c.looker.ID}},
	})
	return f
}
