package viewconsistency

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A torn total: one variable of many objects is added up, each read in a critical section of its own, while another
// function takes an amount off one of the objects and adds it to another one, in one step:
//
//	for _, a := range l.accounts {
//		a.mu.Lock(); sum += a.balance; a.mu.Unlock() // WRONG
//	}
//
//	first.mu.Lock(); second.mu.Lock() // in the order of their names
//	from.balance -= n; to.balance += n
//
// The transfer keeps the sum. If it comes between two reads, the amount may be in the total twice, or not at all. The view
// is one variable of two objects of a type, which is why views of locations do not have it. To hold the locks of all
// objects, or one that transfers need as well, is right.
//
// The other way round, a torn transfer takes the amount off in one critical section, and adds it in a later one, while
// another function adds up all objects under a lock that keeps both writes out:
//
//	if err := l.post(from, -n); err != nil { return err } // under l.mu
//	return l.post(to, n)                                  // WRONG: in between the books do not balance

// totalRules decide about variables that are added up object by object, and about amounts that are moved in two sections.
var totalRules = rule.Set[*total]{
	{
		ID: "transfer-concurrent", Kind: rule.Requires, Mechanism: rule.Join,
		Cases: []string{"total.Loader.sum"},
		Holds: (*total).meets,
	}, {
		ID: "total-of-own", Kind: rule.Excludes, Mechanism: rule.NotPublished,
		Cases: []string{"total.Settle"},
		Holds: (*total).isOfOwn,
	}, {
		ID: "transfer-within", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"total.Groups.Sum"},
		Holds: (*total).isWithin,
	}, {
		ID: "transfer-kept-out", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"total.Vault.Sum", "total.Office.move"},
		Holds: (*total).keptOut,
	},
}

// A total is a function that adds up a variable of many objects, and another one that moves amounts of it: one of them, not
// both, in one critical section.
type total struct {
	d    *detector
	sum  adder
	move *transfer
}

// String describes the candidate for -why.
func (c *total) String() string {
	return fmt.Sprintf("total: %s is added up by %s (%s), and moved by %s (%s)", c.sum.f.NameOf(c.sum.read), summary.Name(c.sum.f.Fn), c.sum.read.Pos.Text,
		summary.Name(c.move.f.Fn), c.move.off.Pos.Text)
}

// Positions returns those of the accesses of the function.
func (c *total) Positions() []token.Pos {
	if c.move.oneStep {
		return []token.Pos{c.sum.read.Pos.Pos, c.d.f.Fn.Pos()}
	}
	return []token.Pos{c.move.on.Pos.Pos, c.move.off.Pos.Pos, c.d.f.Fn.Pos()}
}

// totals reports the variables that the function adds up while others move amounts, and the amounts that it moves while
// others add up.
func (d *detector) totals(rules rule.Set[*total]) []finding.Finding {
	var out []finding.Finding
	for _, loc := range d.sums.moved {
		for _, sum := range d.sums.adders[loc] {
			for _, t := range d.sums.transfers[loc] {
				torn := sum.f
				if !t.oneStep {
					torn = t.f
				}
				if c := (&total{d, sum, t}); torn == d.f && t.oneStep == sum.readsInTurn() && rule.Accept(d.judge, rules, c) {
					out = append(out, c.finding(rules.Doubts(d.judge, c)))
					break
				}
			}
		}
	}
	return out
}

// meets: the two can run at the same time.
func (c *total) meets() bool {
	move := c.move.f.Writer(c.move.off)
	return c.d.pkg.Processes().ConcurrentAt(c.sum.f, c.sum.read, &move)
}

// isOfOwn: the read is of elements of a container that the function has allocated: other goroutines have the objects only as far
// as the function has started them. Whether these have ended before the sum is not asked.
//
//	ring := make([]*account, n)
//	… // starts goroutines that move amounts, and waits for their end
//	for _, a := range ring { sum += a.get() }
func (c *total) isOfOwn() bool { return c.sum.read.Base.IsFresh() }

// isWithin: the transfer is between two parts of one owner, under its lock, and the sum locks owner after owner, each for all of its
// parts. What a transfer moves stays where it is, as far as the owners are concerned.
//
//	h.mu.Lock(); h.buckets[i] -= n; h.buckets[j] += n; h.mu.Unlock()
//
//	for _, h := range all {
//		h.mu.Lock()
//		for _, b := range h.buckets { sum += b }
//		h.mu.Unlock()
//	}
func (c *total) isWithin() bool {
	section, ok := commonSection(c.move.off, c.move.on)
	owner := section.Path.Parent()
	return c.move.oneStep && ok && c.move.off.Base.Within(owner) && c.move.on.Base.Within(owner) &&
		slices.ContainsFunc(c.sum.read.Holds, func(h summary.Hold) bool {
			return h.Class == section.Class && changes(h.Path) && !h.Inner && c.sum.f.Order().StaysBetween(c.sum.read.Instr, c.sum.read.Instr, h.Path)
		})
}

// changes reports whether a path is to another object each time that a loop comes by: one of its parts is a value of the function.
func changes(p accesspath.Path) bool {
	return p.IsLocal() || p.HasAny() || slices.ContainsFunc(p.Keys(), func(k accesspath.Key) bool { return k.Path().Root().IsLocal() })
}

// keptOut: a lock that the one which is in one step needs is held from one access of the other one to the next.
func (c *total) keptOut() bool {
	if !c.move.oneStep {
		return c.move.f.KeepsOut(c.move.off, c.move.on, c.sum.f, c.sum.read)
	}
	return slices.ContainsFunc([]*summary.Event{c.move.off, c.move.on}, func(w *summary.Event) bool {
		return c.sum.f.KeepsOut(c.sum.read, c.sum.read, c.move.f, w)
	})
}

func (c *total) finding(doubts finding.Doubts) finding.Finding {
	d, read, off, on := c.d, c.sum.read, c.move.off, c.move.on
	adds, moves := summary.Name(c.sum.f.Fn), summary.Name(c.move.f.Fn)
	split := summary.Split{Fset: d.pass.Fset, Func: d.f, Check: off, Act: on, Readers: []*summary.View{{Func: adds, Pos: read.Pos, Fn: c.sum.f.ID}}}
	message := fmt.Sprintf("what was taken off %s at line %d, in an earlier critical section, is added to another one here; in between it is in neither, and %s (%s) adds up all of them",
		d.f.NameOf(off), d.line(off.Pos.Pos), adds, read.Pos.Text)
	_, last := inOrder(c.move.f, off, on)
	if last == off {
		message = fmt.Sprintf("what was added to %s at line %d, in an earlier critical section, is taken off another one here; in between it is in both, and %s (%s) adds up all of them",
			d.f.NameOf(on), d.line(on.Pos.Pos), adds, read.Pos.Text)
	}
	f := finding.Finding{
		Pos: last.Pos.Pos, Category: splitWrite, Doubts: doubts, Message: message,
		Notes: []finding.Note{{Pos: off.Pos.Pos, Message: "it is taken off here"}, {Pos: on.Pos.Pos, Message: "it is added here"}, {Pos: read.Pos.Pos, Message: adds + " adds up here"}},
		Group: fmt.Sprint(ssautil.Declaration(d.f.Fn).Pos(), " total ", read.Loc),
	}
	if c.move.oneStep {
		f.Pos, f.Category = read.Pos.Pos, splitRead
		f.Message = fmt.Sprintf("%s is added up here, each object in a critical section of its own, while %s (%s) moves amounts from one to another: one that is moved in between is in the total twice, or not at all",
			d.f.NameOf(read), moves, off.Pos.Text)
		f.Notes = []finding.Note{{Pos: off.Pos.Pos, Message: moves + " takes an amount off one object here"}, {Pos: on.Pos.Pos, Message: "and adds it to another one here"}}
		split = summary.Split{Fset: d.pass.Fset, Func: d.f, Check: read, Act: read, Writers: []summary.Writer{c.move.f.Writer(off)}}
	}
	f.Anchors = d.pkg.Anchors(split)
	return f
}
