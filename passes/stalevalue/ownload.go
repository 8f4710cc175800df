package stalevalue

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A load after an own update: a function changes a counter by an atomic operation, or in a critical section, does not use
// what that returns, and loads the counter later to learn the result.
//
//	s.users.Add(-1)
//	if s.users.Load() == 0 { // that may be the result of another goroutine
//		close(s.idle)
//	}
//
// Two goroutines may see the same result, or one that neither has made, and a result may be seen
// by nobody: W(n) W'(n) R(n) R'(n). The operation itself, or its section, has the result that is its own.
//
// The number of the elements of a container is such a counter:
//
//	s.add(part) // s.parts[part.n] = part
//	if s.complete() { s.finish() } // len(s.parts) == s.total, for each of two who have added the last ones
//
// A result that is compared with a bound may as well be a later one, and one that is only shown is
// as good. What counts is which result it is: whether it is equal to another value, an index, a
// remainder, or a number that is given to the caller.

// An ownLoad is an update of a counter and a later load of it.
type ownLoad struct{ reread }

func (l *ownLoad) String() string { return l.describe("own-load", "changed", "loaded") }

// ownLoads reports such loads.
func (d *detector) ownLoads(rules rule.Set[*ownLoad]) {
	for _, load := range d.f.Events {
		info := d.pkg.Location(load.Loc)
		if _, guarded := validGuard(load, info); load.Calls() > 1 || !load.Reads() || load.Writes() || !guarded {
			continue
		}
		for _, update := range d.f.Events {
			if !d.isOwn(update, load) {
				continue
			}
			if l := (&ownLoad{reread{d, update, load, info}}); rule.Accept(d.judge, rules, l) {
				d.findings = append(d.findings, l.finding())
				break
			}
		}
	}
}

// isOwn reports whether every way to the load comes from the update of the same counter, the
// result of which is not used, in a section before that of the load.
func (d *detector) isOwn(update, load *summary.Event) bool {
	if !update.Writes() || update.Calls() > 1 || update.Distant || update.Instr == load.Instr || update.Loc != load.Loc || update.Key.HasAny() ||
		!accesspath.Same(update.Base, load.Base) || !(update.Delta() && update.Key == load.Key) && !(load.Key == "" && d.changesLength(update)) {
		return false
	}
	if call, ok := update.Instr.(*ssa.Call); ok && slices.ContainsFunc(ssautil.Results(call), func(v ssa.Value) bool {
		return len(ssautil.Uses(v)) > 0 && (update.Delta() || ssautil.IsNumber(v.Type()))
	}) {
		return false
	}
	return ssautil.Precedes(update.Instr, load.Instr) && !slices.ContainsFunc(d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && sameCell(w, load) && summary.SharePassage(w, load) // the load has the result of this one
	})
}

// changesLength reports whether a write puts an element into a container, or takes one out. To store an element of a list
// does neither.
func (d *detector) changesLength(w *summary.Event) bool {
	if w.Delta() || w.Key == "" && !appends(w) {
		return false
	}
	for _, inner := range d.pkg.Processes().Descent(d.f, w) {
		if _, ok := inner.Instr.(*ssa.Store); ok && inner.Key != "" {
			return false
		}
	}
	return true
}

// isIdentity: it matters which result is loaded.
//
//	s.served.Add(1)
//	if s.served.Load() > limit { s.stop() } // a later one is as good
//
// A getter may say so itself: return s.users.Load() == 0. How many elements there are may be told to anybody.
func (l *ownLoad) isIdentity() bool {
	getter, inner := l.d.pkg.Processes().InCallee(l.d.f, l.read)
	if inner != nil && l.tellApart(inner.Values, false) {
		return l.d.f.DecidesBranch(l.read.Values)
	}
	length := returnsLength(getter, inner)
	return (length || !computes(inner, l.read)) && (l.tellApart(l.read.Values, l.first.Delta()) || length && l.mayBeLast() && comparesWithNone(l.read.Values))
}

// mayBeLast reports whether the update may leave the container empty, or the counter at zero: an insertion cannot.
func (l *ownLoad) mayBeLast() bool { return l.first.Delta() || l.first.Op&summary.Delete != 0 }

// comparesWithNone reports whether a condition compares one of the lengths with zero: as none is negative, n > 0 is n != 0.
//
//	if s.size() > 0 { return }
func comparesWithNone(numbers []ssa.Value) bool {
	return slices.ContainsFunc(numbers, func(n ssa.Value) bool {
		return slices.ContainsFunc(ssautil.Uses(n), func(use ssa.Instruction) bool {
			cond, ok := use.(*ssa.BinOp)
			return ok && !isAsserted(cond) && (branch.Alone(cond, true).Equal(none(n)) || branch.Alone(cond, false).Equal(none(n)))
		})
	})
}

// none is the fact that a number is less than 1.
func none(n ssa.Value) branch.Fact {
	return branch.Fact{Subject: n, Relation: branch.Below, Const: constant.MakeInt64(1)}
}

// computes reports whether a getter returns something else than the counter that it loads, of another type.
//
//	func (t *Tracker) timeout() time.Duration { return time.Duration(float64(t.roundTrip) / t.confidence) }
func computes(inner, load *summary.Event) bool {
	return inner != nil && len(inner.Values) > 0 && len(load.Values) > 0 && !types.Identical(inner.Values[0].Type(), load.Values[0].Type())
}

// returnsLength reports whether a getter returns how many elements the container has that it reads.
func returnsLength(getter *summary.Func, read *summary.Event) bool {
	return getter != nil && slices.ContainsFunc(ssautil.Returns(getter.Fn), func(ret *ssa.Return) bool {
		if len(ret.Results) != 1 {
			return false
		}
		length, ok := ssautil.Returned(ret, 0).(*ssa.Call)
		return ok && isLengthOf(getter, length, read.Loc)
	})
}

// tellApart reports whether a use of one of the values makes a difference between any two values; to return one is a
// use if it is returned to others. What is computed from a counter, and is no number, has its own meaning.
func (l *ownLoad) tellApart(values []ssa.Value, returned bool) bool {
	return slices.ContainsFunc(values, func(v ssa.Value) bool {
		return slices.ContainsFunc(ssautil.Uses(v), func(use ssa.Instruction) bool {
			if length, ok := use.(*ssa.Call); ok {
				return builtinOf(length, "len") != nil && depgraph.IsContainer(v.Type()) && l.tellApart([]ssa.Value{length}, returned)
			}
			_, returns := use.(*ssa.Return)
			return ssautil.IsNumber(v.Type()) && (returned || !returns) && l.tellsApart(use, 2)
		})
	})
}

// tellsApart reports whether an instruction makes a difference between any two values of its
// operand, conversions followed.
func (l *ownLoad) tellsApart(use ssa.Instruction, depth int) bool {
	switch use := use.(type) {
	case *ssa.BinOp:
		return use.Op == token.REM || (isEquality(use, true, l.mayBeLast()) || isEquality(use, false, l.mayBeLast())) && !isAsserted(use)
	case *ssa.Return, *ssa.IndexAddr, *ssa.Index, *ssa.Lookup:
		return true
	case *ssa.Convert:
		return depth > 0 && slices.ContainsFunc(*use.Referrers(), func(u ssa.Instruction) bool { return l.tellsApart(u, depth-1) })
	}
	return false
}

// isEquality reports whether a side of a condition implies that the operand equals one value: n == m, or the false side of len(list) > 0.
// That it equals zero counts only if the update may leave zero.
func isEquality(cond ssa.Value, side, zero bool) bool {
	f := branch.Alone(cond, side)
	return f.Relation == branch.Equal && (zero || f.Const == nil || f.Const.Kind() != constant.Int || constant.Sign(f.Const) != 0)
}

// isAsserted reports whether a condition is nothing but an assertion: where it does not hold the program fails, or
// logs that.
//
//	p.release()
//	if n := p.users.Load(); n != 0 { log.Panicf("%d users are left", n) }
func isAsserted(cond ssa.Value) bool {
	uses := ssautil.Uses(cond)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(use ssa.Instruction) bool {
		br, ok := use.(*ssa.If)
		return !ok || !depgraph.IsAssertion(br) && !isShown(br)
	})
}

// isShown reports whether one side of a branch only formats or logs text, and goes on as the other one does.
func isShown(br *ssa.If) bool {
	sides := br.Block().Succs
	return onlyText(sides[0], sides[1]) || onlyText(sides[1], sides[0])
}

// onlyText reports whether a block has no effect but formatted or logged text, and its successor is next.
func onlyText(b, next *ssa.BasicBlock) bool {
	return len(b.Preds) == 1 && len(b.Succs) == 1 && b.Succs[0] == next && !slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
		switch instr := instr.(type) {
		case *ssa.Call:
			return !summary.IsText(&instr.Call)
		case *ssa.Store:
			return !ssautil.IsMadeHere(instr.Addr)
		case *ssa.MapUpdate, *ssa.Send, *ssa.Go, *ssa.Defer, *ssa.Select:
			return true
		}
		return false
	})
}

// comesAround: the function waits in a loop for a result.
//
//	s.arrived.Add(1)
//	for s.arrived.Load() != s.parties { runtime.Gosched() }
func (l *ownLoad) comesAround() bool {
	return l.d.f.Order().Exists(summary.Way{From: l.read.Instr, To: l.read.Instr}) &&
		!l.d.f.Order().MustPass(l.read.Instr, l.first.Instr, l.read.Instr)
}

// rival returns a concurrent writer of the counter, or nil.
func (l *ownLoad) rival() *summary.Writer {
	return l.rivalUnder(l.d.f.HeldThrough(l.first, l.read), anyWriter)
}

func (l *ownLoad) hasRival() bool { return l.rival() != nil }

func (l *ownLoad) finding() finding.Finding {
	d, w, name := l.d, orNobody(l.rival()), l.d.f.NameOf(l.read)
	own := "the operation at line %d returns its own"
	if !l.info.Atomic {
		own = "the section at line %d has its own"
	}
	return d.interruption(finding.Finding{
		Pos:      d.pos(l.read),
		Category: staleUse,
		Message: fmt.Sprintf("%s was changed at line %d, and is loaded here to learn the result, which may be that of another goroutine (it is also changed by %s, %s); "+own,
			name, d.line(d.pos(l.first)), w.Func, w.Pos.Text, d.line(d.pos(l.first))),
		Notes: []finding.Note{{Pos: d.pos(l.first), Message: name + " is changed here"}},
	}, l.first, l.read, w, "")
}
