package viewconsistency

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

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

// readsInTurn reports whether each of the reads is in a critical section of its own.
func (a adder) readsInTurn() bool {
	return slices.ContainsFunc(a.read.Holds, func(h summary.Hold) bool {
		return h.Inner || a.f.Order().EndsBetween(a.read.Instr, a.read.Instr, h.Path)
	})
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
			to := amountOf(on)
			if to.value != amount.value || to.off || on.Loc != off.Loc || isSamePlace(f, on, off) || !areInOneRun(f, off, on) {
				continue
			}
			if len(s.transfers[off.Loc]) == 0 {
				s.moved = append(s.moved, off.Loc)
			}
			s.transfers[off.Loc] = append(s.transfers[off.Loc], &transfer{f, off, on, isOneStep(f, off, on)})
		}
	}
}

// areInOneRun reports whether control comes from one of two accesses to the other.
func areInOneRun(f *summary.Func, a, b *summary.Event) bool {
	return f.Order().Flows(a.Instr, b.Instr) || f.Order().Flows(b.Instr, a.Instr)
}

// inOrder returns the accesses of a transfer in the order in which they are made: the subtraction comes first, unless control only
// comes from the addition to it.
func inOrder(f *summary.Func, off, on *summary.Event) (first, last *summary.Event) {
	if f.Order().Flows(off.Instr, on.Instr) {
		return off, on
	}
	return on, off
}

// isSamePlace reports whether two accesses of one location are to the same object or element.
func isSamePlace(f *summary.Func, a, b *summary.Event) bool {
	return accesspath.Same(a.Base, b.Base) && accesspath.SameElement(a.Key, b.Key) || sameCall(f, a, b)
}

// sameCall reports whether two accesses are to what one function returns for the same arguments. One that writes, as the next one of
// a ring does, may return something else.
//
//	s.shard(k).free -= n
//	if err := write(k); err != nil { s.shard(k).free += n }
func sameCall(f *summary.Func, a, b *summary.Event) bool {
	x, y := callOf(a), callOf(b)
	if x == nil || y == nil || x.Call.StaticCallee() == nil || x.Call.StaticCallee() != y.Call.StaticCallee() || !slices.Equal(x.Call.Args, y.Call.Args) {
		return false
	}
	return !slices.ContainsFunc(f.Events, func(e *summary.Event) bool { return e.Instr == x && e.Writes() })
}

// callOf returns the call whose result is the object of a write to a field, nil if the object is not the result of a call.
func callOf(w *summary.Event) *ssa.Call {
	if store, ok := w.Instr.(*ssa.Store); ok {
		if field, ok := store.Addr.(*ssa.FieldAddr); ok {
			call, _ := field.X.(*ssa.Call)
			return call
		}
	}
	return nil
}

// isAddedUp reports whether what is read under a lock is added to what the same loop has added up before.
func isAddedUp(f *summary.Func, read *summary.Event) bool {
	if !read.Reads() || read.Writes() || len(read.Values) == 0 || len(read.Holds) == 0 || !f.Order().Flows(read.Instr, read.Instr) {
		return false
	}
	if read.Key == "" && !read.Base.IsLocal() && read.Base == read.Base.Root() {
		return false // the variable of one object, again and again
	}
	if slices.ContainsFunc(f.Events, func(w *summary.Event) bool {
		return w.Const == "0" && w.Loc == read.Loc && w.Instr.Block() == read.Instr.Block() && summary.SharePassage(read, w)
	}) {
		return false // what is added is taken out at once: of what moves in between nothing is twice in the sum
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
		return signed(op.Y, true)
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
	params := a.AddedParams
	if params == 0 {
		params = a.DataParams // what is subtracted is not recorded apart
	}
	var given amount
	for i, arg := range call.Call.Args {
		if params&(1<<i) == 0 || !ssautil.IsNumber(arg.Type()) {
			continue
		}
		if given.value != nil {
			return amount{} // one of them may be a key
		}
		given = signed(arg, a.AddedParams == 0)
	}
	return given
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
	if _, ok := commonSection(off, on); ok {
		return true
	}
	order := f.Order()
	first, last := inOrder(f, off, on)
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

// commonSection returns the lock under which two writes are one critical section, one that keeps readers out.
func commonSection(off, on *summary.Event) (summary.Hold, bool) {
	for _, h := range off.Holds {
		if h.Mode != lockset.Shared && slices.ContainsFunc(on.Holds, h.SamePassage) {
			return h, true
		}
	}
	return summary.Hold{}, false
}
