package viewconsistency

import (
	"fmt"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// A late registration: a goroutine is started, and what it looks for, or takes out when it ends, is
// entered in a table afterwards.
//
//	go s.run(name, task) // at its end: s.mu.Lock(); delete(s.cancel, name); s.mu.Unlock()
//	s.mu.Lock(); s.cancel[name] = cancel; s.mu.Unlock() // WRONG: the task may be over
//
// To start a goroutine is to give it a signal; the data is the element that it has to find. The goroutine may be started
// by a callee.

// A lateStart is the start of a goroutine and a later entry of an element into a container, with an access of
// the element by the goroutine.
type lateStart struct {
	d *detector
	started
	write  *summary.Event
	access *fact.Access // of the goroutine
}

// A started is a goroutine that an instruction of a function starts.
type started struct {
	start ssa.CallInstruction
	// calls lead from the start to the goroutine, the last of them is the go statement; by are the functions that they call.
	calls []ssa.CallInstruction
	by    []summary.Callee
	// group is the path of the sync.WaitGroup that starts the goroutine, where it does, or Unknown.
	group accesspath.Path
}

// runs returns the function of the goroutine.
func (s started) runs() *summary.Callee { return &s.by[len(s.by)-1] }

// translate rewrites a path of the goroutine in the terms of the function.
func (s started) translate(path accesspath.Path) accesspath.Path {
	for _, c := range slices.Backward(s.by) {
		path = c.Translate(path)
	}
	return path
}

// translateKey rewrites a key of the goroutine in the terms of the function.
func (s started) translateKey(key accesspath.Key) accesspath.Key {
	for _, c := range slices.Backward(s.by) {
		key = c.TranslateKey(key)
	}
	return key
}

// String describes the candidate for -why.
func (c *lateStart) String() string {
	return fmt.Sprintf("late registration: a goroutine is started at line %d before %s is entered at line %d, which it accesses%s",
		c.d.line(ssautil.Pos(c.start)), c.d.f.NameOf(c.write), c.d.line(c.write.Pos.Pos), c.where())
}

// where returns the position of the access in parentheses, "" if it is in another package.
func (c *lateStart) where() string {
	if c.access.Pos.Text == "" {
		return ""
	}
	return " (" + c.access.Pos.Text + ")"
}

// Positions returns those of the entry, of the start and of the function.
func (c *lateStart) Positions() []token.Pos {
	return []token.Pos{c.write.Pos.Pos, ssautil.Pos(c.start), c.d.f.Fn.Pos()}
}

// lateStarts reports the entries that come after the start of a goroutine that needs them, each once.
func (d *detector) lateStarts(rules rule.Set[*lateStart]) []finding.Finding {
	var out []finding.Finding
	if !slices.ContainsFunc(d.f.Events, enters) {
		return nil
	}
	for s := range d.spawned() {
		if s.runs().Func.Sum != nil {
			out = append(out, d.lateEntries(s, rules)...)
		}
	}
	return out
}

// spawned yields the goroutines of functions of the package that the function starts, by itself or by a callee.
func (d *detector) spawned() iter.Seq[started] {
	return func(yield func(started) bool) {
		for _, call := range d.f.Calls {
			if call.Instr != nil && !d.spawnedAt(call.Instr, d.f, started{start: call.Instr}, yield) {
				return
			}
		}
	}
}

// startDepth bounds the calls between a function and the go statement.
const startDepth = 2

// spawnedAt yields the goroutines that are started by a call of f, to which the calls of s lead.
func (d *detector) spawnedAt(at ssa.CallInstruction, f *summary.Func, s started, yield func(started) bool) bool {
	_, isGo := at.(*ssa.Go)
	for _, st := range d.pkg.Steps(f)[at] {
		for _, c := range st.Callees {
			if c.Func == nil {
				continue
			}
			to := started{s.start, append(slices.Clip(s.calls), at), append(slices.Clip(s.by), c), st.Path}
			switch {
			case st.Kind == summary.SpawnStep && (isGo || funcsum.OfLibrary(at.Common()).Group):
				if !yield(to) {
					return false
				}
			case st.Kind == summary.CallStep && len(st.Callees) == 1 && len(to.by) <= startDepth && c.Func.Sum != nil && c.Func.Sum.Spawns:
				g := d.pkg.Of(c)
				for _, call := range g.Calls {
					if call.Instr != nil && !d.spawnedAt(call.Instr, g, to, yield) {
						return false
					}
				}
			}
		}
	}
	return true
}

func (d *detector) lateEntries(s started, rules rule.Set[*lateStart]) []finding.Finding {
	var out []finding.Finding
	for _, w := range d.f.Events {
		if !enters(w) || !d.f.Order().Exists(summary.Way{From: s.start, To: w.Instr, Forward: true}) {
			continue
		}
		for i := range s.runs().Func.Sum.Accesses {
			c := &lateStart{d, s, w, &s.runs().Func.Sum.Accesses[i]}
			if c.looksFor() && rule.Accept(d.judge, rules, c) {
				out = append(out, c.finding(rules.Doubts(d.judge, c)))
				break
			}
		}
	}
	return out
}

// enters reports whether a write puts an element into a container, under a lock.
func enters(w *summary.Event) bool {
	return w.Writes() && w.Key != "" && w.Op&summary.Delete == 0 && len(w.Inputs) > 0 && len(w.Holds) > 0
}

// looksFor reports whether the goroutine takes the element out, or asks whether it is there.
func (c *lateStart) looksFor() bool {
	a := c.access
	return a.Loc == c.write.Loc && a.Regions != 0 && (a.Op&(summary.Delete|summary.Presence) != 0 || a.Traits.Has(fact.Tested)) &&
		accesspath.Same(c.translate(a.Base), c.write.Base) && accesspath.SameElement(c.translateKey(a.Key), c.write.Key)
}

// heldFromStart: a lock that the goroutine needs is held from the start to the entry.
//
//	s.mu.Lock(); go s.run(name); s.tasks[name] = t; s.mu.Unlock()
func (c *lateStart) heldFromStart() bool {
	var needs []accesspath.Location
	for i, r := range c.runs().Func.Sum.Regions {
		if c.access.Regions&(1<<i) != 0 {
			needs = append(needs, r.Guard.Class)
		}
	}
	order := c.d.f.Order()
	return slices.ContainsFunc(c.write.Holds, func(h summary.Hold) bool {
		if h.Inner || len(h.Sites) != 1 || !slices.Contains(needs, h.Class) {
			return false
		}
		taken := c.d.f.Instr(h.Sites[0])
		return taken == nil || !order.MustPass(c.start, taken, c.write.Instr)
	})
}

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
	g, at := c.goroutine()
	if len(c.by) == 1 || at == nil {
		return false
	}
	for _, b := range g.Fn.Blocks {
		for _, instr := range b.Instrs {
			if funcsum.Waits(instr) && ssautil.Precedes(instr, at) {
				return true
			}
		}
	}
	return false
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
		if side := funcsum.AbsentSide(br.Cond, g.Events[i]); side >= 0 && leadsBack(br.Block().Succs[side], at.Block()) {
			return true
		}
	}
	return false
}

// leadsBack reports whether all paths from a block come to another one.
func leadsBack(from, to *ssa.BasicBlock) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	for work := []*ssa.BasicBlock{from}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == to || seen[b] {
			continue
		}
		if seen[b] = true; len(b.Succs) == 0 {
			return false
		}
		work = append(work, b.Succs...)
	}
	return true
}

// sleepsFirst: the goroutine lets some time go by before it looks.
//
//	go func() { time.Sleep(ttl); s.remove(name) }()
func (c *lateStart) sleepsFirst() bool {
	g, at := c.goroutine()
	for _, b := range g.Fn.Blocks {
		for _, instr := range b.Instrs {
			if at != nil && sleeps(instr) && ssautil.Precedes(instr, at) {
				return true
			}
		}
	}
	return false
}

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

// enteredBefore: the function has entered the element before the start, too. A callee that starts the goroutine and enters the
// element is asked about for itself.
func (c *lateStart) enteredBefore() bool {
	return slices.ContainsFunc(c.d.f.Events, func(e *summary.Event) bool {
		return e != c.write && enters(e) && e.Loc == c.write.Loc && accesspath.SameElement(e.Key, c.write.Key) &&
			(e.Instr == c.start || c.d.f.Order().Flows(e.Instr, c.start))
	})
}

func (c *lateStart) finding(doubts finding.Doubts) finding.Finding {
	d := c.d
	name, runs := d.f.NameOf(c.write), c.runs().Func
	f := finding.Finding{
		Pos:      c.write.Pos.Pos,
		Category: earlyWrite,
		Message: fmt.Sprintf("%s is entered here, after the goroutine that looks for it%s was started at line %d: it may have looked before",
			name, c.where(), d.line(ssautil.Pos(c.start))),
		Doubts: doubts,
		Group:  fmt.Sprint(d.f.Fn.Pos(), " start ", c.write.Loc),
		Notes:  []finding.Note{{Pos: ssautil.Pos(c.start), Message: "the goroutine is started here"}},
	}
	f.Anchors = d.pkg.Anchors(summary.Split{
		Fset: d.pass.Fset, Func: d.f, Check: &summary.Event{Instr: c.start, Ref: c.write.Ref, Op: summary.Write}, Act: c.write,
		Readers: []*summary.View{{Func: summary.Name(runs.Fn), Pos: c.access.Pos, Fn: runs.ID}},
	})
	return f
}
