package funcsum

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
)

// A function awaits what it reads if a loop that waits ends because of it:
//
//	for s.used+n > s.limit {
//		s.freed.Wait()
//	}
//
// What comes after the loop has no control dependence on the read, since all paths lead there, but
// comes only when the read has found what the loop asks for. It is the weak control dependence of
// Podgurski and Clarke (A formal model of program dependences, 1990), for loops that are entered to
// wait. Other loops go through elements or count.

// markAwaited gives the reads that the function awaits the trait fact.Awaited.
func (p *Summaries) markAwaited(f *Body) {
	exits := f.waitExits()
	if len(exits) == 0 {
		return
	}
	for _, e := range f.Events {
		if !e.Reads() || e.Writes() || len(e.Values) == 0 || e.Instr.Parent() != f.Fn {
			continue
		}
		for _, br := range exits {
			if f.Paths().Reaches(br, e.Instr) && f.Slice(br.Cond).HasAny(e.Values) {
				e.Traits |= fact.Awaited
				break
			}
		}
	}
}

// waitExits returns the branches by which control leaves a loop of the function that waits.
func (f *Body) waitExits() []*ssa.If {
	var waits []ssa.Instruction
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if GivesTime(instr) {
				waits = append(waits, instr)
			}
		}
	}
	if len(waits) == 0 {
		return nil
	}
	var out []*ssa.If
	for br := range depgraph.Branches(f.Fn) {
		if isCase(br.Cond) {
			continue // a message ends the loop
		}
		for _, w := range waits {
			if f.waitsOrLeaves(br, w) {
				out = append(out, br)
				break
			}
		}
	}
	return out
}

// waitsOrLeaves reports whether one side of a branch goes on to wait at w before control comes to the branch again, and
// the other one does not come back. A branch that leaves a loop of another kind, which also waits somewhere, comes round
// without waiting:
//
//	for { // a service
//		<-tick
//		for {
//			job := s.take()
//			if job == nil { break }
//			if err := run(job); err != nil { return } // says nothing of why the service waits
//		}
//	}
func (f *Body) waitsOrLeaves(br *ssa.If, w ssa.Instruction) bool {
	paths := f.Paths()
	if !paths.Reaches(br, w) || !paths.Reaches(w, br) {
		return false
	}
	for i, s := range br.Block().Succs {
		leaves, stays := s.Instrs[0], br.Block().Succs[1-i].Instrs[0]
		if leaves != w && !paths.Reaches(leaves, w) {
			return stays == w || paths.MustPass(stays, w, br)
		}
	}
	return false
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
