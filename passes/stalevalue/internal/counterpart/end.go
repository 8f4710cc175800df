package counterpart

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An end is the close of a channel, the cancellation of a context, or the wait for a group, at an instruction of a
// function or in its callees.
type end struct {
	loc    accesspath.Location
	base   accesspath.Path
	instr  ssa.Instruction
	locks  []accesspath.Location
	closes bool
}

// endOf returns the end that a call is by itself.
func endOf(f *process.Func, call ssa.CallInstruction) (end, bool) {
	c := call.Common()
	if ref, ok := funcsum.EndedBy(f.Body, c); ok {
		return end{loc: ref.Loc, base: ref.Base, instr: call}, true
	}
	if len(c.Args) == 0 {
		return end{}, false
	}
	if b := ssautil.Builtin(c); b != "" {
		loc := callgraph.ChanLocation(c.Args[0])
		return end{loc: loc, base: f.Res.Resolve(c.Args[0]).Path, instr: call, closes: true}, b == "close" && loc != ""
	}
	if !funcsum.OfLibrary(c).Awaits {
		return end{}, false
	}
	ref := f.Res.Resolve(c.Args[0])
	return end{loc: ref.Loc, base: ref.Path, instr: call}, ref.Loc != ""
}

// awaits returns the instructions of f that wait for other goroutines.
func awaits(f *process.Func) []ssa.Instruction {
	var out []ssa.Instruction
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if funcsum.Waits(instr) {
				out = append(out, instr)
			}
		}
	}
	return out
}

// waitsBefore reports whether f may wait for other goroutines before it comes to an
// instruction.
func waitsBefore(f *process.Func, at ssa.Instruction) bool {
	_, deferred := at.(*ssa.Defer)
	return slices.ContainsFunc(awaits(f), func(w ssa.Instruction) bool { return w != at && (deferred || f.Order().Flows(w, at)) })
}
