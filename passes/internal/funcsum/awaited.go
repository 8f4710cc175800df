package funcsum

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A function awaits what it reads if a loop that waits may end because of it:
//
//	for s.used+n > s.limit {
//		s.freed.Wait()
//	}
//
// What comes after the loop has no control dependence on the read, since all paths lead there, but
// comes only when the read has found what the loop asks for. It is the weak control dependence of
// Podgurski and Clarke (A formal model of program dependences, 1990), for loops that are entered to
// wait. Other loops go through elements or count. Like other dependences it is a may-dependence: the
// loop may have other exits.
//
// The comparison says in which direction the value has changed when the wait is over: it has become
// less (room, nobody is there any more, a flag is clear), or more (there is something, a flag is set). To wait
// for one's own turn, s.next == ticket, is no wait for a direction, and others do not wait for the same.

// A waitExit is a branch by which control leaves a loop of the function that waits.
type waitExit struct {
	cond  ssa.Value
	holds bool // whether the condition is true then
	slice depgraph.Slice
}

// markAwaited gives the reads that the function awaits the trait fact.Awaited, and the direction.
func (f *Body) markAwaited() {
	exits := f.waitExits()
	for _, e := range f.Events {
		if !e.Reads() || e.Writes() || len(e.Values) == 0 || e.Instr.Parent() != f.Fn {
			continue
		}
		for _, x := range exits {
			if x.slice.HasAny(e.Values) {
				e.Traits |= f.direction(x, e)
			}
		}
	}
}

// waitExits returns the exits of the loops that wait.
func (f *Body) waitExits() []waitExit {
	var waits []ssa.Instruction
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if f.waitsThere(instr) {
				waits = append(waits, instr)
			}
		}
	}
	if len(waits) == 0 {
		return nil
	}
	var out []waitExit
	for br := range depgraph.Branches(f.Fn) {
		if isCase(br.Cond) {
			continue // a message ends the loop
		}
		for _, w := range waits {
			if side := f.leaves(br, w); side >= 0 {
				out = append(out, waitExit{br.Cond, side == 0, f.Slice(br.Cond)})
				break
			}
		}
	}
	return out
}

// waitsThere reports whether others go on at an instruction, or in the function of the package that it calls.
//
//	for s.Len() == 0 { s.pause() } // s.cond.Wait()
func (f *Body) waitsThere(instr ssa.Instruction) bool {
	if GivesTime(instr) {
		return true
	}
	call, ok := instr.(*ssa.Call)
	if !ok {
		return false
	}
	fn := call.Call.StaticCallee()
	if fn == nil || fn.Pkg != f.Fn.Pkg || len(fn.Blocks) == 0 || len(fn.Blocks) > 2 {
		return false // a longer function does something else, too
	}
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, GivesTime) })
}

// leaves returns the successor of a branch that is the exit of a loop, if all paths from the other successor back to the branch pass
// the wait w; otherwise -1. A service loop also waits for other reasons: some paths lead back to its branch without the wait.
//
//	for { // a service
//		<-tick
//		for {
//			job := s.take()
//			if job == nil { break }
//			if err := run(job); err != nil { return } // says nothing of why the service waits
//		}
//	}
func (f *Body) leaves(br *ssa.If, w ssa.Instruction) int {
	paths := f.Paths()
	if !paths.Reaches(br, w) || !paths.Reaches(w, br) {
		return -1
	}
	for i, s := range br.Block().Succs {
		out, stays := s.Instrs[0], br.Block().Succs[1-i].Instrs[0]
		if out != w && !paths.Reaches(out, w) && (stays == w || paths.MustPass(stays, w, br)) {
			return i
		}
	}
	return -1
}

// isCase reports whether a condition asks which case of a select statement was chosen, or whether a channel is closed.
func isCase(cond ssa.Value) bool {
	if cmp, ok := cond.(*ssa.BinOp); ok {
		cond = cmp.X
	}
	x, ok := cond.(*ssa.Extract)
	if !ok {
		return false
	}
	switch from := x.Tuple.(type) {
	case *ssa.Select:
		return true
	case *ssa.UnOp:
		return from.Op == token.ARROW
	}
	return false
}

// direction returns the traits of a read that an exit depends on, 0 if the exit asks for one value among many.
func (f *Body) direction(x waitExit, e *Event) fact.Traits {
	cond, holds := x.cond, x.holds
	for {
		not, ok := cond.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			break
		}
		cond, holds = not.X, !holds
	}
	cmp, ok := cond.(*ssa.BinOp)
	if !ok {
		switch {
		case e.Callee != nil:
			return f.directionThere(cond, holds, e)
		case !slices.Contains(e.Values, cond):
			return fact.Awaited
		case holds:
			return fact.Awaited | fact.AwaitedMore
		}
		return fact.Awaited | fact.AwaitedLess
	}
	op, other := cmp.Op, cmp.Y
	left, right := measures(cmp.X, e), measures(cmp.Y, e)
	switch {
	case !left && !right:
		return fact.Awaited // what a call has made of it is compared
	case left && right:
		return 0
	case right:
		op, other = ssautil.Mirrored[op], cmp.X
	}
	if !holds {
		op = ssautil.Negated[op]
	}
	switch {
	case op == token.LSS, op == token.LEQ, op == token.EQL && isZero(other):
		return fact.Awaited | fact.AwaitedLess
	case op == token.GTR, op == token.GEQ, op == token.NEQ && isZero(other):
		return fact.Awaited | fact.AwaitedMore
	}
	return 0
}

// directionThere returns the traits of a read of a callee that returns what it has compared.
//
//	func (s *S) full() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.used >= s.limit }
func (f *Body) directionThere(cond ssa.Value, holds bool, e *Event) fact.Traits {
	call, ok := cond.(*ssa.Call)
	if !ok {
		return fact.Awaited
	}
	for _, callee := range f.in.Callees(f, &call.Call) {
		if callee.Fn == nil || callee.Fn == f.Node {
			continue
		}
		g := f.in.of(callee.Fn)
		rets := ssautil.Returns(g.Fn)
		if len(rets) != 1 || len(rets[0].Results) != 1 {
			continue
		}
		for _, there := range g.Events {
			if there.Callee == nil && there.Loc == e.Loc && there.Reads() && !there.Writes() {
				return fact.Awaited | g.direction(waitExit{cond: ssautil.Returned(rets[0], 0), holds: holds}, there)
			}
		}
	}
	return fact.Awaited
}

// measures reports whether v grows with what was read: it is that value, its length, or a sum.
func measures(v ssa.Value, e *Event) bool {
	return slices.Contains(e.Values, depgraph.LengthOf(v)) || ssautil.IsNumber(v.Type()) && depgraph.Grows(v, e.Values)
}

// isZero reports whether v is the number 0, or nil.
func isZero(v ssa.Value) bool { return ssautil.IsZero(v) || ssautil.IsNil(v) }
