package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// A count of readers is a shared lock: who takes a reference to a container counts up in
// the section in which the reference is taken, and who changes elements in place waits, in
// the section of the change, until nobody is counted.
//
//	s.mu.Lock(); s.readers++; cells := s.cells; s.mu.Unlock()
//	…
//	s.mu.Lock(); s.readers--; s.mu.Unlock()

// waitsForReaders: the rival changes the elements only if the count of readers that the
// section of the read has raised allows it.
//
//	s.mu.Lock()
//	for s.readers > 0 { s.cond.Wait() }
//	s.cells[i] = x
//	s.mu.Unlock()
func (r rival) waitsForReaders() bool {
	if r.taken == nil || r.writer.Fn < 0 {
		return false
	}
	of := r.d.pkg.Funcs[r.writer.Fn]
	return slices.ContainsFunc(r.d.f.Events, func(up *summary.Event) bool {
		return up.Writes() && up.Delta() && up.Loc != r.taken.Loc && related(up.Base, r.taken.Base) &&
			summary.SharePassage(up, r.taken) && dependsOn(of, r.writer, up.Loc)
	})
}

// dependsOn reports whether the write of writer w in f is only reached, from a read of a
// location in its section, if the location has certain values.
func dependsOn(f *summary.Func, w *summary.Writer, l accesspath.Location) bool {
	write := f.WriteOf(w)
	return write != nil && slices.ContainsFunc(f.Events, func(test *summary.Event) bool {
		if !test.Reads() || test.Loc != l || !staysInSection(f, test, write) {
			return false
		}
		for br := range f.BranchesOn(test.Values) {
			if decides(f, br, test.Instr, write.Instr) {
				return true
			}
		}
		return false
	})
}

// staysInSection reports whether a lock is held on a path from test to write.
func staysInSection(f *summary.Func, test, write *summary.Event) bool {
	return slices.ContainsFunc(test.Holds, func(h summary.Hold) bool {
		return write.Hold(h.Path) != nil && f.Order().StaysBetween(test.Instr, write.Instr, h.Path)
	})
}

// decides reports whether one side of a branch leads to an instruction only by another test.
func decides(f *summary.Func, br *ssa.If, test, to ssa.Instruction) bool {
	reaches := func(side int) bool {
		first := br.Block().Succs[side].Instrs[0]
		return first == to || f.Order().Exists(summary.Way{From: first, To: to, Avoid: test})
	}
	return reaches(0) != reaches(1)
}
