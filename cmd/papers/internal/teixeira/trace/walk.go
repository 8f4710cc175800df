package trace

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/summary"
)

// What a lock operation does: the values of lockset.OpKind, a package that cannot
// be imported from here. The third, waiting for a condition, ends no atom.
const (
	acquire = 0
	release = 1
)

// A config is where a way has come to.
type config struct {
	now   Occurrence // the atom under way, if depth > 0
	depth int        // the number of locks held
	prev  Occurrence // the atom before that, no atom at the beginning
}

// A walker follows the ways through one function.
type walker struct {
	*Traces
	f      *summary.Func
	trace  *Trace
	steps  map[ssa.Instruction][]summary.Step
	defers []*ssa.Defer
	seen   map[*ssa.BasicBlock]map[config]bool
	work   []func()
}

func (w *walker) walk() {
	w.seen = make(map[*ssa.BasicBlock]map[config]bool)
	for _, b := range w.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.Defer); ok && len(w.steps[instr]) > 0 {
				w.defers = append(w.defers, d)
			}
		}
	}
	w.enter(w.f.Fn.Blocks[0], config{})
	for n := 0; len(w.work) > 0 && n < maxWays; n++ {
		next := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		next()
	}
}

// enter goes on with a block, unless that was done from the same config.
func (w *walker) enter(b *ssa.BasicBlock, c config) {
	if w.seen[b] == nil {
		w.seen[b] = make(map[config]bool)
	}
	if !w.seen[b][c] {
		w.seen[b][c] = true
		w.work = append(w.work, func() { w.through(b, c) })
	}
}

// through follows a way through one block and on to the next.
func (w *walker) through(b *ssa.BasicBlock, c config) {
	configs := []config{c}
	for _, instr := range b.Instrs {
		switch instr.(type) {
		case *ssa.Defer, *ssa.Go:
		case *ssa.RunDefers:
			configs = w.runDefers(b, configs)
		case *ssa.Return:
			for _, c := range configs {
				w.end(c)
			}
		default:
			configs = w.do(instr, configs)
		}
	}
	for _, succ := range b.Succs {
		for _, c := range configs {
			w.follow(b, succ, c)
		}
	}
}

// follow goes along an edge of the control flow. At the end of a loop that is
// where the head of the loop leaves it: a loop is gone through once.
func (w *walker) follow(from, to *ssa.BasicBlock, c config) {
	if !to.Dominates(from) {
		w.enter(to, c)
		return
	}
	loop := loopOf(to)
	for _, exit := range to.Succs {
		if !loop[exit] {
			w.follow(to, exit, c)
		}
	}
}

// loopOf returns the blocks of the loop with the given head.
func loopOf(head *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	loop := map[*ssa.BasicBlock]bool{head: true}
	var work []*ssa.BasicBlock
	for _, b := range head.Preds {
		if head.Dominates(b) {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !loop[b] {
			loop[b] = true
			work = append(work, b.Preds...)
		}
	}
	return loop
}

// runDefers does what was deferred, the latest first. What is not deferred on all
// ways may not be done; unlocking then does no harm.
func (w *walker) runDefers(b *ssa.BasicBlock, configs []config) []config {
	for i := len(w.defers) - 1; i >= 0; i-- {
		after := w.do(w.defers[i], configs)
		if !w.defers[i].Block().Dominates(b) && !slices.ContainsFunc(w.steps[w.defers[i]], isLock) {
			after = append(after, configs...)
		}
		configs = unique(after)
	}
	return configs
}

func isLock(s summary.Step) bool { return s.Kind == summary.LockStep }

// do follows what one instruction does.
func (w *walker) do(instr ssa.Instruction, configs []config) []config {
	steps := w.steps[instr]
	own := w.own(w.f, instr, steps)
	w.grow(w.trace.All, own)
	for _, c := range configs {
		if c.depth > 0 {
			w.grow(c.now.Accesses, own)
		}
	}
	for _, s := range steps {
		var after []config
		for _, c := range configs {
			switch {
			case s.Kind == summary.LockStep && !w.ofLibrary(instr):
				after = append(after, w.lock(instr, int(s.Lock.Kind), c))
			case s.Kind == summary.CallStep || s.Kind == summary.RepeatedStep:
				after = append(after, w.call(s, c)...)
			default:
				after = append(after, c)
			}
		}
		configs = unique(after)
	}
	return configs
}

// lock begins an atom, or ends it, or something inside.
func (w *walker) lock(instr ssa.Instruction, kind int, c config) config {
	switch {
	case kind == acquire && c.depth == 0:
		c.now = Occurrence{instr, w.atomAt(w.f, instr)}
		w.occur(c.now)
		w.meet(c.prev, c.now)
		c.depth = 1
	case kind == acquire:
		c.depth++
	case kind == release && c.depth == 1:
		c = config{prev: c.now}
	case kind == release && c.depth > 1:
		c.depth--
	}
	return c
}

// call follows a call of functions of the package.
func (w *walker) call(s summary.Step, c config) []config {
	var after []config
	if s.Kind == summary.RepeatedStep {
		after = append(after, c) // no time at all
	}
	for _, callee := range s.Callees {
		t := w.Of[w.pkg.Of(callee)]
		w.grow(w.trace.All, t.All)
		kinds := lockEffect(w.pkg.Of(callee))
		if c.depth == 0 && !slices.Contains(kinds, acquire) {
			after = append(after, w.between(s.Instr, t, c)...)
			continue
		}
		next := c
		for _, kind := range kinds {
			next = w.lock(s.Instr, kind, next)
		}
		for _, in := range []config{c, next} {
			if in.depth > 0 {
				w.grow(in.now.Accesses, t.All)
			}
		}
		after = append(after, next)
	}
	return after
}

// lockEffect returns what a function does to locks that are held when it is called
// or when it returns.
func lockEffect(f *summary.Func) []int {
	var kinds []int
	if f.Sum != nil {
		for _, op := range f.Sum.Effects {
			kinds = append(kinds, int(op.Kind))
		}
	}
	return kinds
}

// between follows a call that is in no atom, but may have some inside.
func (w *walker) between(instr ssa.Instruction, t *Trace, c config) []config {
	var after []config
	if t.empty {
		after = append(after, c)
	}
	for o := range t.Atoms {
		w.occur(Occurrence{instr, o.Atom})
	}
	for _, a := range t.first {
		w.meet(c.prev, Occurrence{instr, a})
	}
	for _, a := range t.last {
		after = append(after, config{prev: Occurrence{instr, a}})
	}
	return after
}

// occur takes note of an atom.
func (w *walker) occur(o Occurrence) {
	if !w.trace.Atoms[o] {
		w.trace.Atoms[o], w.changed = true, true
	}
}

// meet takes note of two atoms that follow each other.
func (w *walker) meet(prev, next Occurrence) {
	if prev.Atom == nil {
		w.add(&w.trace.first, next.Atom)
	} else {
		w.trace.Pairs[Pair{prev, next}] = true
	}
}

// end takes note of a way that has come to the end of the function.
func (w *walker) end(c config) {
	switch {
	case c.depth > 0:
		w.add(&w.trace.last, c.now.Atom)
	case c.prev.Atom != nil:
		w.add(&w.trace.last, c.prev.Atom)
	case !w.trace.empty:
		w.trace.empty, w.changed = true, true
	}
}

func (w *walker) add(list *[]*Atom, a *Atom) {
	if !slices.Contains(*list, a) {
		*list = append(*list, a)
		w.changed = true
	}
}

func (w *walker) grow(a, b Accesses) { w.changed = a.add(b) || w.changed }

// unique returns the configs without repetitions, in order.
func unique(configs []config) []config {
	var out []config
	for _, c := range configs {
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}
