package funcsum

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// Awaits reports whether an instruction of f waits for the flag that e reads, alone or in a select statement,
// or calls a function of the package that does.
//
//	select {
//	case r := <-reply:
//	case <-s.done:
//	}
func (f *Body) Awaits(instr ssa.Instruction, e *Event) bool {
	c, ok := instr.(*ssa.Call)
	if !ok {
		return awaits(instr, func(ch ssa.Value) bool { return f.isFlagOf(ch, e) })
	}
	return slices.ContainsFunc(f.in.Callees(f, &c.Call), func(callee callgraph.Callee) bool {
		if callee.Fn == nil || callee.Fn == f.Node {
			return false
		}
		g := f.in.of(callee.Fn)
		isFlag := func(ch ssa.Value) bool {
			at := g.flagOf(ch)
			return at.Loc == e.Loc && accesspath.Same(f.in.Translate(f, callee, at.Base), e.Base)
		}
		for _, b := range g.Fn.Blocks {
			if slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool { return awaits(instr, isFlag) }) {
				return true
			}
		}
		return false
	})
}

// awaits reports whether an instruction receives from a channel that is asked for.
func awaits(instr ssa.Instruction, asked func(ch ssa.Value) bool) bool {
	switch instr := instr.(type) {
	case *ssa.Select:
		return caseOf(instr, asked) >= 0
	case *ssa.UnOp:
		return instr.Op == token.ARROW && asked(instr.X)
	}
	return false
}

// CaseOf returns the index of the case of a select statement that receives from the channel whose
// flag e reads, or -1.
func (f *Body) CaseOf(s *ssa.Select, e *Event) int {
	return caseOf(s, func(ch ssa.Value) bool { return f.isFlagOf(ch, e) })
}

func caseOf(s *ssa.Select, asked func(ch ssa.Value) bool) int {
	return slices.IndexFunc(s.States, func(st *ssa.SelectState) bool { return st.Dir == types.RecvOnly && asked(st.Chan) })
}

// isFlagOf reports whether e is an access to the flag of the channel ch.
func (f *Body) isFlagOf(ch ssa.Value, e *Event) bool {
	at := f.flagOf(ch)
	return at.Loc == e.Loc && accesspath.Same(at.Base, e.Base)
}

// flagOf returns the flag of the channel ch, if there is one.
func (f *Body) flagOf(ch ssa.Value) (at accesspath.Ref) {
	switch ch := ch.(type) {
	case *ssa.Call:
		at, _ = DoneOf(f, &ch.Call)
	case *ssa.UnOp:
		at = flag(f.Res.Resolve(ch.X), closed)
	}
	return at
}

// Receives reports whether an instruction waits for a message: it receives from a channel, or blocks in a select statement.
func Receives(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	case *ssa.Select:
		return instr.Blocking
	}
	return false
}

// Waits reports whether an instruction waits for other goroutines: for a message, for the end of a group, or for a condition.
func Waits(instr ssa.Instruction) bool {
	known := called(instr)
	return Receives(instr) || known.Awaits || known.WaitsFor != ""
}

// GivesTime reports whether others go on at an instruction: it waits for them, or sleeps.
func GivesTime(instr ssa.Instruction) bool { return Waits(instr) || called(instr).Sleeps }

// called returns what is known of the library function that an instruction calls.
func called(instr ssa.Instruction) stdlib.Func {
	if call, ok := instr.(*ssa.Call); ok {
		return OfLibrary(&call.Call)
	}
	return stdlib.Func{}
}
