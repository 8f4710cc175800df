package process

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A goroutine that is started early may be held back: it waits for a signal that the one who has started it gives when all is
// there that it needs.
//
//	go func() { <-ready; s.run(id) }()
//	s.add(id)
//	close(ready)

// Releases reports whether b, whenever it comes to its instruction, has waited for something that the function of a signals only
// after the instruction of a.
func (p *Processes) Releases(a, b Activity) bool {
	given := p.signalsOnlyAfter(a)
	return len(given) > 0 && slices.ContainsFunc(p.waitedBefore(a.F, b), func(l accesspath.Location) bool { return slices.Contains(given, l) })
}

// signalsOnlyAfter returns the channels that an activity closes or sends to, and the groups that it signals, after its
// instruction and not before.
func (p *Processes) signalsOnlyAfter(a Activity) []accesspath.Location {
	var after, before []accesspath.Location
	for _, b := range a.F.Fn.Blocks {
		for _, instr := range b.Instrs {
			end := p.signalAt(a.F, instr)
			if end == "" {
				continue
			}
			if _, deferred := instr.(*ssa.Defer); deferred || !a.F.Order().Flows(instr, a.At) {
				after = append(after, end)
			} else {
				before = append(before, end)
			}
		}
	}
	return slices.DeleteFunc(after, func(l accesspath.Location) bool { return slices.Contains(before, l) })
}

// signalAt returns the channel that an instruction closes or sends to, or the group that it signals, "" if there is none.
func (p *Processes) signalAt(f *Func, instr ssa.Instruction) accesspath.Location {
	switch instr := instr.(type) {
	case *ssa.Send:
		return p.signal(f, instr.Chan)
	case ssa.CallInstruction:
		if _, spawns := instr.(*ssa.Go); spawns {
			return ""
		}
		if ssautil.Builtin(instr.Common()) == "close" {
			return p.signal(f, instr.Common().Args[0])
		}
		return p.signaledBy(f, instr.Common(), 1)
	}
	return ""
}

// waitedBefore returns the channels and groups that an activity waits for before its instruction on all paths, in the terms of the
// function by that has started it: what it was given may be a channel.
func (p *Processes) waitedBefore(by *Func, b Activity) []accesspath.Location {
	var out []accesspath.Location
	for _, block := range b.F.Fn.Blocks {
		for _, instr := range block.Instrs {
			if !ssautil.Precedes(instr, b.At) {
				continue
			}
			for _, ch := range waitedAt(instr) {
				out = append(out, p.signal(b.F, ch))
				if i := slices.IndexFunc(b.F.Fn.Params, func(prm *ssa.Parameter) bool { return ssa.Value(prm) == ch }); i >= 0 {
					out = append(out, p.givenBy(by, b.F, i))
				}
			}
		}
	}
	return slices.DeleteFunc(out, func(l accesspath.Location) bool { return l == "" })
}

// waitedAt returns the channels and groups that an instruction waits for.
func waitedAt(instr ssa.Instruction) []ssa.Value {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if funcsum.Receives(instr) {
			return []ssa.Value{instr.X}
		}
	case *ssa.Select:
		var out []ssa.Value
		for _, s := range instr.States {
			if funcsum.Receives(instr) {
				out = append(out, s.Chan)
			}
		}
		return out
	case *ssa.Call:
		if funcsum.OfLibrary(&instr.Call).Awaits {
			return instr.Call.Args[:1]
		}
	}
	return nil
}

// givenBy returns the channel that a function gives to one that it starts as argument i, "" if it has no name.
func (p *Processes) givenBy(by, to *Func, i int) accesspath.Location {
	for _, s := range p.sitesOf[to.ID] {
		if s.caller == by && s.call.Instr != nil && s.call.Instr.Common().StaticCallee() == to.Fn {
			return p.signal(by, s.call.Instr.Common().Args[i])
		}
	}
	return ""
}
