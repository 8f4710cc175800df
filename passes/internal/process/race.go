package process

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/cfgpath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An interleaving that is a data race does not happen, as the program is taken to be free of data
// races. Let a function check and act in two critical sections, and let a rival write in between. The
// locks order the check before the write, and the write before the act, and nothing else:
//
//	function           rival
//	check, unlock
//	                   lock, write, unlock
//	lock, act
//
// So two accesses without a lock to one variable, of which one is a write, are not ordered if the
// function makes its own before the act and the rival before the write, or if the function makes its own
// after the check and the rival after the write.
//
//	func (w *writer) Commit() error {
//		if w.tracker.status() == done { return nil } // locks
//		w.pipe.Close()       // no lock: who else uses w.pipe does not run now
//		w.tracker.set(done)  // locks
//	}
//
//	func (w *writer) Reset() {
//		w.pipe = newPipe()   // no lock
//		w.tracker.set(open)  // locks
//	}
//
// Unlike a role (see Confined), such an access may be decided by anything: that it has been made follows from
// the interleaving.

// Races reports whether f and writer w access some variable without a lock, so that w does not come
// between the check and the act.
func (p *Processes) Races(f *Func, check, act *funcsum.Event, w *fact.Writer) bool {
	if w.Fn < 0 {
		return false
	}
	g := p.Funcs[w.Fn]
	e := g.WriteOf(w)
	if e == nil || g.constructs {
		return false
	}
	for a, at := range p.bare(f) {
		if !p.covers(f, role{base: a.base}, check.Base) {
			continue
		}
		between := passes(f, check.Instr, at, act.Instr)
		if !between && !passes(f, entry(f), at, act.Instr) {
			continue
		}
		owner, ok := atSamePlace(a.base, check.Base, e.Base)
		if !ok {
			continue
		}
		if before, after := p.around(g, e, place{a.loc, owner, !a.write}, fact.MaxDepth); before || between && after {
			return true
		}
	}
	return false
}

// A place is a variable that is accessed without a lock: by writes, or in any way.
type place struct {
	loc   accesspath.Location
	base  accesspath.Path
	write bool
}

// bare returns the accesses of f without a lock, by what is accessed.
func (p *Processes) bare(f *Func) map[place][]ssa.Instruction {
	if f.State != funcsum.Built || f.Test || len(f.Entry) > 0 {
		return nil
	}
	out := make(map[place][]ssa.Instruction)
	for u := range p.uses(f) {
		if p.isLocked(f, u.event) || u.base == accesspath.Unknown || u.base.IsLocal() || u.event.Key != "" || handedOver(f, u.instr) || !p.surely(f, u.event) {
			continue
		}
		out[place{u.loc, u.base, false}] = append(out[place{u.loc, u.base, false}], u.instr)
		if u.write {
			out[place{u.loc, u.base, true}] = append(out[place{u.loc, u.base, true}], u.instr)
		}
	}
	return out
}

// around reports whether each run of g that makes e accesses a place without a lock before it, and after it.
func (p *Processes) around(g *Func, e *funcsum.Event, at place, depth int) (before, after bool) {
	list := slices.DeleteFunc(p.bare(g)[at], func(instr ssa.Instruction) bool { return instr == e.Instr })
	before = passes(g, entry(g), list, e.Instr)
	after = !slices.ContainsFunc(ssautil.Returns(g.Fn), func(ret *ssa.Return) bool { return !passes(g, e.Instr, list, ret) })
	if before && after || depth == 0 {
		return before, after
	}
	if h, inner := p.made(g, e); h != nil {
		if owner, ok := atSamePlace(at.base, e.Base, inner.Base); ok {
			b, a := p.around(h, inner, place{at.loc, owner, at.write}, depth-1)
			return before || b, after || a
		}
	}
	return before, after
}

// atSamePlace returns the object that leads to other in the way in which owner leads to part.
func atSamePlace(owner, part, other accesspath.Path) (accesspath.Path, bool) {
	rest, ok := strings.CutPrefix(string(part), string(owner))
	if !ok || other == accesspath.Unknown {
		return "", false
	}
	base, ok := strings.CutSuffix(string(other), rest)
	return accesspath.Path(base), ok && base != ""
}

// entry returns the first instruction of f.
func entry(f *Func) ssa.Instruction { return f.Fn.Blocks[0].Instrs[0] }

// passes reports whether one of the instructions is on each path between two others.
func passes(f *Func, from ssa.Instruction, via []ssa.Instruction, to ssa.Instruction) bool {
	if len(via) == 0 {
		return false
	}
	return !f.Paths().Exists(cfgpath.Way{From: from, To: to, Cut: f.Paths().Set(slices.Values(via))})
}

// surely reports whether the instruction of an access always makes it: the callee does so on all paths.
func (p *Processes) surely(f *Func, e *funcsum.Event) bool {
	for range fact.MaxDepth {
		if e.Callee == nil {
			return e.Within == nil
		}
		g, inner := p.made(f, e)
		if g == nil || slices.ContainsFunc(ssautil.Returns(g.Fn), func(ret *ssa.Return) bool { return !ssautil.Precedes(inner.Instr, ret) }) {
			return false
		}
		f, e = g, inner
	}
	return false
}

// made is like InCallee, but returns nil if the function that makes the access may be one of several.
func (p *Processes) made(f *Func, e *funcsum.Event) (*Func, *funcsum.Event) {
	call, ok := e.Instr.(ssa.CallInstruction)
	if !ok || e.Within != nil || len(p.Callees(f.Body, call.Common())) != 1 {
		return nil, nil
	}
	return p.InCallee(f, e)
}
