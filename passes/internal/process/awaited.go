package process

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// The end of an object has to come after that of the goroutines that use it. Where isOver asks for what has been waited for on
// all paths, StillRuns asks for what may have been waited for: a wait on one path mostly says that the other paths have no
// goroutine to wait for.
//
//	if s.workers != nil { s.workers.SignalAndWait() }
//	close(s.jobs)

// StillRuns reports whether a goroutine that the package starts may still come to b when control is at a: it runs beside a, and
// nobody may have waited for its end, or for what it signals after b.
func (p *Processes) StillRuns(a, b Activity) bool {
	if p.isLeftTo(a, b) || p.isLeftTo(b, a) {
		return false
	}
	waited := p.mayHaveWaited(a.F, a.At, limit.WaitDepth)
	isWaited := func(l accesspath.Location) bool { return l != "" && slices.Contains(waited, l) }
	if slices.ContainsFunc(p.signalsAfter(b), isWaited) {
		return false
	}
	for i, j := range p.meetings(a, b) {
		one, other := p.Procs.roots[i], p.Procs.roots[j]
		if one.Func == other.Func || !other.Go || other.Test {
			continue
		}
		if !slices.ContainsFunc(other.ends, isWaited) && !slices.ContainsFunc(p.lastSignals(p.Funcs[other.Func]), isWaited) {
			return true
		}
	}
	return false
}

// mayHaveWaited returns the groups and channels that f, or each of its callers in the package, may have waited for before an
// instruction.
func (p *Processes) mayHaveWaited(f *Func, at ssa.Instruction, depth int) []accesspath.Location {
	_, deferred := at.(*ssa.Defer)
	out := p.mayWaitFor(f, limit.WaitDepth, func(instr ssa.Instruction) bool {
		_, late := instr.(*ssa.Defer) // it waits after all but what is deferred as well
		return deferred || !late && f.Order().Flows(instr, at)
	})
	if depth == 0 {
		return out
	}
	var common []accesspath.Location
	first := true
	for _, s := range p.sitesOf[f.ID] {
		if s.caller == f || s.caller.Test || s.caller.Forwards() {
			continue
		}
		var before []accesspath.Location
		if s.call.Kind != fact.Escapes && s.call.Instr != nil {
			before = p.mayHaveWaited(s.caller, s.call.Instr, depth-1)
		}
		if first {
			common, first = before, false
		}
		common = slices.DeleteFunc(slices.Clone(common), func(l accesspath.Location) bool { return !slices.Contains(before, l) })
	}
	return append(out, common...)
}

// mayWaitFor returns the groups and channels that some instructions of f wait for, those that callees may wait for included.
// A select statement may end by another case, such as a time that is over: it waits for none of its channels.
func (p *Processes) mayWaitFor(f *Func, depth int, of func(ssa.Instruction) bool) []accesspath.Location {
	var out []accesspath.Location
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.UnOp:
				if end := p.signal(f, instr.X); instr.Op == token.ARROW && end != "" && of(instr) {
					out = append(out, end)
				}
			case ssa.CallInstruction:
				if _, spawns := instr.(*ssa.Go); !spawns && of(instr) {
					out = append(out, p.mayWaitAt(f, instr.Common(), depth)...)
				}
			}
		}
	}
	return out
}

// mayWaitAt returns what a call may wait for.
func (p *Processes) mayWaitAt(f *Func, call *ssa.CallCommon, depth int) []accesspath.Location {
	if funcsum.OfLibrary(call).Awaits {
		return []accesspath.Location{p.signal(f, call.Args[0])}
	}
	if callee := p.Called(call.StaticCallee()); callee != nil && depth > 0 {
		return p.mayWaitFor(p.Of(callee), depth-1, func(ssa.Instruction) bool { return true })
	}
	return nil
}

// signalsAfter returns the groups that an activity signals after its instruction.
func (p *Processes) signalsAfter(a Activity) []accesspath.Location {
	var out []accesspath.Location
	for _, b := range a.F.Fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if _, deferred := instr.(*ssa.Defer); deferred || a.F.Order().Flows(a.At, instr) {
				if l := p.signaledBy(a.F, call.Common(), 1); l != "" {
					out = append(out, l)
				}
			}
		}
	}
	return out
}

// lastSignals returns the channels that signal the return of f and are not in Root.ends: the last instruction of f is a send to
// the channel, or a deferred literal sends to it or closes it. If several goroutines send to one channel, as many receives are a
// join of all of them, which this does not count.
//
//	go func() { defer func() { done <- struct{}{} }(); s.read() }()
//	go func() { defer func() { done <- struct{}{} }(); s.write() }()
//	<-done
//	<-done
func (p *Processes) lastSignals(f *Func) []accesspath.Location {
	var out []accesspath.Location
	f = p.bodyOf(f)
	for _, b := range f.Fn.Blocks {
		for i, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Send:
				if ssautil.IsReturn(b.Instrs[i+1:]) {
					out = append(out, p.signal(f, instr.Chan))
				}
			case *ssa.Defer:
				if lit := p.Called(instr.Call.StaticCallee()); lit != nil && lit.Fn.Parent() != nil {
					out = append(out, p.signalsOf(p.Of(lit))...)
				}
			}
		}
	}
	return out
}

// signalsOf returns the channels that f sends to or closes.
func (p *Processes) signalsOf(f *Func) []accesspath.Location {
	var out []accesspath.Location
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Send:
				out = append(out, p.signal(f, instr.Chan))
			case *ssa.Call:
				if ssautil.Builtin(&instr.Call) == "close" {
					out = append(out, p.signal(f, instr.Call.Args[0]))
				}
			}
		}
	}
	return out
}
