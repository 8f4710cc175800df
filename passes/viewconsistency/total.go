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
		ID: "transfer-kept-out", Kind: rule.Excludes, Mechanism: rule.OuterLock,
		Cases: []string{"total.Vault.Sum", "total.Office.Transfer"},
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

// An adder is a read in a loop, of a variable that the function adds up there.
type adder struct {
	f    *summary.Func
	read *summary.Event
}

// A transfer takes an amount off a variable of one object, and adds it to the same variable of another one.
type transfer struct {
	f       *summary.Func
	off, on *summary.Event
	oneStep bool // see isOneStep
}

// sums are the adders and transfers of a package, by the variable, in the order of the functions.
type sums struct {
	moved     []accesspath.Location // by transfers, in their order
	adders    map[accesspath.Location][]adder
	transfers map[accesspath.Location][]*transfer
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

// readsInTurn reports whether each of the reads is in a critical section of its own.
func (a adder) readsInTurn() bool {
	return slices.ContainsFunc(a.read.Holds, func(h summary.Hold) bool {
		return h.Inner || a.f.Order().EndsBetween(a.read.Instr, a.read.Instr, h.Path)
	})
}

// meets: the two can run at the same time.
func (c *total) meets() bool {
	return c.d.pkg.Processes().ConcurrentOn(c.sum.f, c.sum.read.Base.Root(), c.move.f, c.move.off.Base.Root())
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
	f := finding.Finding{
		Pos: on.Pos.Pos, Category: splitWrite, Doubts: doubts,
		Message: fmt.Sprintf("what was taken off %s at line %d, in an earlier critical section, is added to another one here; in between it is in neither, and %s (%s) adds up all of them",
			d.f.NameOf(off), d.line(off.Pos.Pos), adds, read.Pos.Text),
		Notes: []finding.Note{{Pos: off.Pos.Pos, Message: "it is taken off here"}, {Pos: read.Pos.Pos, Message: adds + " adds up here"}},
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

// findSums finds the adders and transfers of a package.
func findSums(p *summary.Package) sums {
	out := sums{adders: make(map[accesspath.Location][]adder), transfers: make(map[accesspath.Location][]*transfer)}
	for _, f := range p.Funcs {
		if f.Flow != nil && !f.Constructs() && !f.Test {
			out.addTransfers(f)
		}
	}
	if len(out.moved) == 0 {
		return out
	}
	for _, f := range p.Funcs {
		if f.Flow == nil || f.Constructs() || f.Test {
			continue
		}
		for _, e := range f.Events {
			if len(out.transfers[e.Loc]) > 0 && isAddedUp(f, e) {
				out.adders[e.Loc] = append(out.adders[e.Loc], adder{f, e})
			}
		}
	}
	return out
}

func (s *sums) addTransfers(f *summary.Func) {
	for _, off := range f.Events {
		amount := amountOf(off)
		if amount.value == nil || !amount.off {
			continue
		}
		for _, on := range f.Events {
			if to := amountOf(on); to.value == amount.value && !to.off && on.Loc == off.Loc && !isSamePlace(on, off) {
				if len(s.transfers[off.Loc]) == 0 {
					s.moved = append(s.moved, off.Loc)
				}
				s.transfers[off.Loc] = append(s.transfers[off.Loc], &transfer{f, off, on, isOneStep(f, off, on)})
			}
		}
	}
}

// isSamePlace reports whether two accesses of one location are to the same object or element.
func isSamePlace(a, b *summary.Event) bool {
	return accesspath.Same(a.Base, b.Base) && accesspath.SameElement(a.Key, b.Key)
}

// isAddedUp reports whether what is read under a lock is added to what the same loop has added up before.
func isAddedUp(f *summary.Func, read *summary.Event) bool {
	if !read.Reads() || read.Writes() || len(read.Values) == 0 || len(read.Holds) == 0 || !f.Order().Flows(read.Instr, read.Instr) {
		return false
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			sum, ok := instr.(*ssa.BinOp)
			if ok && sum.Op == token.ADD && (isNext(f, sum, sum.X) && f.Slice(sum.Y).HasAny(read.Values) || isNext(f, sum, sum.Y) && f.Slice(sum.X).HasAny(read.Values)) {
				return true
			}
		}
	}
	return false
}

// isNext reports whether a sum is the next value of one of its operands, a variable of a loop.
func isNext(f *summary.Func, sum *ssa.BinOp, operand ssa.Value) bool {
	_, varies := operand.(*ssa.Phi)
	return varies && f.Slice(operand).Has(sum)
}

// An amount is what a relative update takes off a variable or adds to it. It has no value if that is not known.
type amount struct {
	value ssa.Value
	off   bool
}

// amountOf returns the amount of a write, which a callee may be given.
func amountOf(w *summary.Event) amount {
	if !w.Writes() || !w.Delta() || w.Within != nil {
		return amount{}
	}
	if w.Callee != nil {
		return givenAmount(w)
	}
	if len(w.Inputs) == 0 {
		return amount{}
	}
	op, ok := w.Inputs[0].(*ssa.BinOp)
	switch {
	case !ok:
		return amount{}
	case op.Op == token.SUB:
		return amount{op.Y, true}
	case len(w.Added) == 1:
		return signed(w.Added[0], false)
	}
	return amount{}
}

// givenAmount returns the amount that a callee adds, or takes off, as its caller says.
func givenAmount(w *summary.Event) amount {
	call, ok := w.Instr.(*ssa.Call)
	if !ok || call.Call.IsInvoke() {
		return amount{}
	}
	a := &w.Callee.Accesses[w.Index]
	for i, arg := range call.Call.Args {
		if a.DataParams == 1<<i && ssautil.IsNumber(arg.Type()) {
			return signed(arg, a.AddedParams == 0)
		}
	}
	return amount{}
}

// signed returns the amount of v, or of what v is the negative of.
func signed(v ssa.Value, off bool) amount {
	if neg, ok := v.(*ssa.UnOp); ok && neg.Op == token.SUB {
		return amount{neg.X, !off}
	}
	return amount{v, off}
}

// isOneStep reports whether nobody sees the one write without the other: they are in one critical section, or no lock is
// released between them. It is not asked which locks these are: of two locks that are taken in the order of the objects the
// paths are not known, and writes without a lock are left to the race detector.
func isOneStep(f *summary.Func, off, on *summary.Event) bool {
	if summary.SharePassage(off, on) {
		return true
	}
	first, last, order := off, on, f.Order()
	if order.Flows(on.Instr, off.Instr) {
		first, last = on, off
	}
	for instr, ops := range f.Ops() {
		releases := slices.ContainsFunc(ops, func(op lockset.Op) bool { return op.Kind != lockset.Acquire })
		if _, deferred := instr.(*ssa.Defer); releases && !deferred && order.Flows(first.Instr, instr) && order.Flows(instr, last.Instr) {
			return false
		}
	}
	return !locksItself(first) && !locksItself(last)
}

// locksItself reports whether a callee makes an access in a critical section of its own.
func locksItself(e *summary.Event) bool {
	return slices.ContainsFunc(e.Holds, func(h summary.Hold) bool { return h.Inner })
}
