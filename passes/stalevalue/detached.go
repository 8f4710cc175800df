package stalevalue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// A goroutine that is started in a critical section holds none of the locks of its starter, and may run when the section is over:
//
//	s.mu.RLock()
//	for _, x := range s.subs { go x.send(m) }
//	s.mu.RUnlock()
//
// It is a part of the section if the starter waits for it there, or if it is the one that releases the lock.

// detaches reports whether an instruction starts a goroutine which the function does not wait for, and which releases no lock of the
// function.
func (d *detector) detaches(instr ssa.Instruction) bool {
	known := false
	for _, s := range d.pkg.Steps(d.f)[instr] {
		if s.Kind != summary.SpawnStep {
			continue
		}
		for _, c := range s.Callees {
			known = true
			if c.Func.Sum == nil || len(c.Func.Sum.Effects) > 0 || d.isWaitedOn(instr, s.Path, c) {
				return false
			}
		}
	}
	return known
}

// isWaitedOn reports whether the function may wait, after it has started a goroutine, for the group that the goroutine is in, or for a
// signal that it gives.
func (d *detector) isWaitedOn(start ssa.Instruction, group accesspath.Path, goroutine summary.Callee) bool {
	var given []accesspath.Path
	if group != accesspath.Unknown {
		given = append(given, group)
	}
	for _, steps := range d.pkg.Steps(d.pkg.Of(goroutine)) {
		for _, s := range steps {
			if s.Kind == summary.SignalStep {
				given = append(given, goroutine.Translate(s.Path))
			}
		}
	}
	for instr, steps := range d.pkg.Steps(d.f) {
		if d.f.Order().Flows(start, instr) && slices.ContainsFunc(steps, func(s summary.Step) bool { return s.Kind == summary.AwaitStep && slices.Contains(given, s.Path) }) {
			return true
		}
	}
	return false
}
