package viewconsistency

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// What orders the entry of an element and the access by a goroutine that was started before it (see lateStart): a join, a release,
// time, or the goroutine itself, which goes on looking.

// isJoined: the function, or the callee that has started the goroutine, waits for its end before it enters the element.
//
//	s.removeOld(name) // go func() { s.remove(name); close(done) }(); <-done
//	s.add(name, t)
func (c *lateStart) isJoined() bool {
	if c.group != accesspath.Unknown && c.isAwaited(len(c.by)-1, c.group) {
		return true
	}
	g, at := c.goroutine()
	for instr, steps := range c.d.pkg.Steps(g) {
		if _, deferred := instr.(*ssa.Defer); at == nil || !deferred && !g.Order().Flows(at, instr) {
			continue
		}
		for _, s := range steps {
			if s.Kind == summary.SignalStep && c.isAwaited(len(c.by), s.Path) {
				return true
			}
		}
	}
	return false
}

// isAwaited reports whether one of the functions that lead to the goroutine waits, whenever it goes on, for a signal at a path in the
// terms of the function that the first n of the calls lead to.
func (c *lateStart) isAwaited(n int, path accesspath.Path) bool {
	if n < len(c.by) && c.awaitedIn(n, path) {
		return true
	}
	for i := n - 1; i >= 0; i-- {
		if path = c.by[i].Translate(path); path == accesspath.Unknown {
			return false
		}
		if c.awaitedIn(i, path) {
			return true
		}
	}
	return false
}

// awaitedIn reports whether the function that makes call i waits for a signal at a path, whenever it goes on.
func (c *lateStart) awaitedIn(i int, path accesspath.Path) bool {
	f := c.d.f
	if i > 0 {
		f = c.d.pkg.Of(c.by[i-1])
	}
	for instr, steps := range c.d.pkg.Steps(f) {
		waits := slices.ContainsFunc(steps, func(s summary.Step) bool { return s.Kind == summary.AwaitStep && s.Path == path })
		if waits && c.passes(f, c.calls[i], instr, i == 0) {
			return true
		}
	}
	return false
}

// passes reports whether f always comes from the start to an instruction before it goes on: before it enters the element, or returns.
func (c *lateStart) passes(f *summary.Func, start, via ssa.Instruction, enters bool) bool {
	if enters {
		return f.Order().MustPass(start, via, c.write.Instr)
	}
	return !slices.ContainsFunc(ssautil.Returns(f.Fn), func(ret *ssa.Return) bool { return !f.Order().MustPass(start, via, ret) })
}

// isReleased: the goroutine waits for a signal that the function gives when it has entered the element.
//
//	go s.run(name, ready) // <-ready
//	s.add(name, t)
//	close(ready)
func (c *lateStart) isReleased() bool {
	g, at := c.goroutine()
	for instr, steps := range c.d.pkg.Steps(g) {
		if at == nil || !ssautil.Precedes(instr, at) {
			continue
		}
		for _, s := range steps {
			if s.Kind == summary.AwaitStep && c.isGivenLater(c.translate(s.Path)) {
				return true
			}
		}
	}
	return false
}

// isGivenLater reports whether the function signals at a path only after it has entered the element. Others may signal at a path that
// begins with its receiver.
func (c *lateStart) isGivenLater(path accesspath.Path) bool {
	if path == accesspath.Unknown || path.IsGlobal() || path.Root() == accesspath.Param(0) && c.d.f.Fn.Signature.Recv() != nil {
		return false
	}
	given := false
	for instr, steps := range c.d.pkg.Steps(c.d.f) {
		if !slices.ContainsFunc(steps, func(s summary.Step) bool { return s.Kind == summary.SignalStep && s.Path == path }) {
			continue
		}
		if _, deferred := instr.(*ssa.Defer); !deferred && c.d.f.Order().Flows(instr, c.write.Instr) {
			return false
		}
		given = true
	}
	return given
}

// waitsFirst: a callee has started the goroutine, which waits for something that the callee may have returned, or that those who find
// the element have.
//
//	w := s.watch(name) // go func() { <-w.stop; s.remove(name) }()
//	s.add(name, w)
func (c *lateStart) waitsFirst() bool {
	return len(c.by) > 1 && c.comesAfter(funcsum.Waits)
}

// comesAfter reports whether the goroutine always executes an instruction of some kind before the access.
func (c *lateStart) comesAfter(is func(ssa.Instruction) bool) bool {
	g, at := c.goroutine()
	return at != nil && ssautil.AnyInstr(g.Fn, func(instr ssa.Instruction) bool { return is(instr) && ssautil.Precedes(instr, at) })
}

// entersItself: the goroutine enters the element, too.
//
//	go func() { if s.get(name) == nil { s.add(name, t) } }()
func (c *lateStart) entersItself() bool {
	return slices.ContainsFunc(c.runs().Func.Sum.Accesses, func(a fact.Access) bool {
		return a.Loc == c.write.Loc && a.Op&summary.Write != 0 && a.Op&summary.Delete == 0 && accesspath.SameElement(c.translateKey(a.Key), c.write.Key)
	})
}

// looksUntilThere: the goroutine goes back to the look until it finds the element.
//
//	for { if t := s.get(name); t != nil { return t.run() }; time.Sleep(pause) }
func (c *lateStart) looksUntilThere() bool {
	g, at := c.goroutine()
	i := slices.IndexFunc(g.Events, func(e *summary.Event) bool { return e.Instr == at && e.Loc == c.access.Loc })
	if at == nil || i < 0 || c.access.Op&summary.Delete != 0 {
		return false
	}
	for br := range g.BranchesOn(g.Events[i].Values) {
		if side := funcsum.AbsentSide(br.Cond, g.Events[i]); side >= 0 && leadsBack(br.Block().Succs[side], at.Block(), func(*ssa.BasicBlock) bool { return false }) {
			return true
		}
	}
	return false
}

// sleepsFirst: the goroutine lets some time go by before it looks.
//
//	go func() { time.Sleep(ttl); s.remove(name) }()
func (c *lateStart) sleepsFirst() bool { return c.comesAfter(sleeps) }

// sleeps reports whether an instruction waits until some time: it sleeps, or receives from the channel of a timer.
func sleeps(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Call:
		return funcsum.OfLibrary(&instr.Call).Sleeps
	case *ssa.UnOp:
		return instr.Op == token.ARROW && isTimer(instr.X)
	case *ssa.Select:
		return slices.ContainsFunc(instr.States, func(s *ssa.SelectState) bool { return isTimer(s.Chan) })
	}
	return false
}

// isTimer reports whether times come through a channel.
func isTimer(ch ssa.Value) bool {
	t, ok := ch.Type().Underlying().(*types.Chan)
	return ok && types.TypeString(t.Elem(), nil) == "time.Time"
}

// goroutine returns the function of the goroutine, and the instruction there by which it makes the access, nil if that is not known.
func (c *lateStart) goroutine() (*summary.Func, ssa.Instruction) {
	g := c.d.pkg.Of(*c.runs())
	i := slices.IndexFunc(g.Events, func(e *summary.Event) bool { return e.Loc == c.access.Loc && e.Pos.Pos == c.access.Pos.Pos })
	if i < 0 {
		return g, nil
	}
	return g, g.Events[i].Instr
}
