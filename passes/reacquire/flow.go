package reacquire

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// The analysis of the paper (section 4) computes, for the scope of each context
// lock, ⟨R, T, P⟩: the locking expressions reported, those taken, and those
// passed, that is taken and given up again. A lock that is taken when it is
// among the passed ones is a witness of the pattern. An assignment to something
// that a locking expression is made of unmarks it: it is another lock now.
//
// Here all contexts are followed at once: a passed lock is remembered with the
// contexts that have been held ever since. R is the list of pairs; T is what the
// lock state has; P is the state below. It is a may-analysis, joined by union:
// a pair is reported if there is a way on which the lock is taken twice.
// FINAL_T and FINAL_P of a callee are its effects on locks and its acquisitions
// in the summary; LOCKSHELD are the contexts of the function.

// A passed lock was taken and given up again.
type passed struct {
	at       int // index of the taking
	contexts []context
}

// A state is the set P with, of each lock that the function has taken itself and
// still holds, the taking.
type state struct {
	passed map[accesspath.Path][]passed
	taken  map[accesspath.Path]passed
}

func newState() *state {
	return &state{make(map[accesspath.Path][]passed), make(map[accesspath.Path]passed)}
}

func (s *state) clone() *state {
	out := &state{make(map[accesspath.Path][]passed, len(s.passed)), maps.Clone(s.taken)}
	for p, list := range s.passed {
		out.passed[p] = slices.Clone(list)
	}
	return out
}

// join adds what o has to s, and reports whether that was something new.
func (s *state) join(o *state) bool {
	changed := false
	for p, list := range o.passed {
		for _, x := range list {
			changed = s.pass(p, x) || changed
		}
	}
	for p, x := range o.taken {
		if old, ok := s.taken[p]; !ok || x.at < old.at {
			s.taken[p] = x
			changed = true
		}
	}
	return changed
}

// pass marks a lock as passed at a taking, in the contexts of it.
func (s *state) pass(p accesspath.Path, x passed) bool {
	i := slices.IndexFunc(s.passed[p], func(y passed) bool { return y.at == x.at })
	if i < 0 {
		s.passed[p] = append(s.passed[p], passed{x.at, slices.Clone(x.contexts)})
		return true
	}
	changed := false
	y := &s.passed[p][i]
	for _, c := range x.contexts {
		if !slices.ContainsFunc(y.contexts, c.same) {
			y.contexts = append(slices.Clip(y.contexts), c)
			changed = true
		}
	}
	return changed
}

// leave ends the critical sections of context lock p.
func (s *state) leave(p accesspath.Path) {
	for q, list := range s.passed {
		list = slices.Clone(list)
		for i := range list {
			list[i].contexts = slices.DeleteFunc(slices.Clone(list[i].contexts), func(c context) bool { return c.Path == p })
		}
		s.passed[q] = slices.DeleteFunc(list, func(x passed) bool { return len(x.contexts) == 0 })
	}
	for q, x := range s.taken {
		x.contexts = slices.DeleteFunc(slices.Clone(x.contexts), func(c context) bool { return c.Path == p })
		s.taken[q] = x
	}
}

// unmark forgets the locks whose names are made of something that is assigned.
func (s *state) unmark(names func(accesspath.Path) bool) {
	for p := range s.passed {
		if names(p) {
			delete(s.passed, p)
		}
	}
	for p := range s.taken {
		if names(p) {
			delete(s.taken, p)
		}
	}
}

// A step is what one instruction means for the state.
type step struct {
	instr   ssa.Instruction
	takings []int // indexes into takings
	ops     []lockset.Op
	held    []context // locks that are certainly held before it
	// reassigns are the parts of lock names that it gives a new meaning.
	root accesspath.Path // a value that is computed anew
	path accesspath.Path // a place that is written
}

// steps lists, for each block, the instructions that matter.
func (d *detector) steps() [][]step {
	byInstr := make(map[ssa.Instruction][]int)
	for i, t := range d.takings {
		byInstr[t.Instr] = append(byInstr[t.Instr], i)
	}
	roots := d.roots()
	out := make([][]step, len(d.f.Fn.Blocks))
	ops := d.f.Ops()
	d.f.Flow.Walk(func(instr ssa.Instruction, ord int, st *lockset.State) {
		s := step{instr: instr, takings: byInstr[instr], ops: ops[instr]}
		switch x := instr.(type) {
		case *ssa.Defer, *ssa.Go:
			return
		case *ssa.Store:
			switch x.Addr.(type) {
			case *ssa.FieldAddr, *ssa.Global:
				s.path = d.f.Res.Resolve(x.Addr).Path
			}
		case ssa.Value:
			s.root = roots[x]
		}
		if len(s.takings)+len(s.ops) == 0 && s.root == "" && s.path == "" {
			return
		}
		if len(s.takings) > 0 {
			s.held = d.held(st)
		}
		b := instr.Block().Index
		out[b] = append(out[b], s)
	})
	return out
}

// held returns the contexts at a lock state: what is held, and what the callers
// hold.
func (d *detector) held(st *lockset.State) []context {
	var out []context
	for _, h := range st.Held {
		if d.f.Flow.Holds(h) && len(h.Sites) > 0 && h.Mode != lockset.Once {
			out = append(out, context{Guard: h.Guard, site: h.Sites[0]})
		}
	}
	for _, c := range d.f.Contexts() {
		known := func(x context) bool { return x.Class == c.Class && x.Path == c.Path }
		if !d.f.Flow.Gives(c.Path) && !slices.ContainsFunc(out, known) {
			all := slices.ContainsFunc(d.f.Entry, func(g lockset.Guard) bool { return g.Class == c.Class && g.Path == c.Path })
			out = append(out, context{c.Guard, lockset.Entry, c.Caller, !all})
		}
	}
	return out
}

// roots returns the values that the names of the locks taken are made of.
func (d *detector) roots() map[ssa.Value]accesspath.Path {
	out := make(map[ssa.Value]accesspath.Path)
	for _, t := range d.takings {
		for _, name := range mentioned(t.Path) {
			if v := d.f.Res.Definition(name); v != nil {
				out[v] = name
			}
		}
	}
	return out
}

// mentioned returns the local names in a path, its root and those in indexes.
func mentioned(p accesspath.Path) []accesspath.Path {
	var out []accesspath.Path
	for _, part := range strings.FieldsFunc(string(p), func(r rune) bool { return r == '[' || r == ']' || r == '.' || r == ';' }) {
		if q := accesspath.Path(part); q.IsLocal() {
			out = append(out, q)
		}
	}
	return out
}

// pairs computes R.
func (d *detector) pairs() []pair {
	steps := d.steps()
	in := make([]*state, len(steps))
	in[0] = newState()
	var found []pair
	for range limit.ReacquireRounds {
		changed := false
		for _, b := range d.f.Fn.Blocks {
			if in[b.Index] == nil {
				continue
			}
			st := in[b.Index].clone()
			for _, s := range steps[b.Index] {
				found = d.apply(st, s, found)
			}
			for _, succ := range b.Succs {
				if in[succ.Index] == nil {
					in[succ.Index] = newState()
					changed = true
				}
				changed = in[succ.Index].join(st) || changed
			}
		}
		if !changed {
			break
		}
	}
	return found
}

// apply changes the state by one step and adds the pairs that it completes.
func (d *detector) apply(st *state, s step, found []pair) []pair {
	if s.root != "" {
		st.unmark(func(p accesspath.Path) bool { return slices.Contains(mentioned(p), s.root) })
	}
	if s.path != "" {
		st.unmark(func(p accesspath.Path) bool { return p != s.path && p.Within(s.path) })
	}
	for _, op := range s.ops {
		if op.Kind != lockset.Acquire && op.Guard.Path != accesspath.Unknown && !op.May {
			st.leave(op.Guard.Path)
		}
	}
	for _, i := range s.takings {
		found = d.take(st, s, i, found)
	}
	for _, op := range s.ops {
		if op.Kind != lockset.Release {
			continue
		}
		if x, ok := st.taken[op.Guard.Path]; ok {
			st.pass(op.Guard.Path, x)
			delete(st.taken, op.Guard.Path)
		}
	}
	return found
}

// take adds the pairs that a taking completes, and marks the lock.
func (d *detector) take(st *state, s step, i int, found []pair) []pair {
	t := d.takings[i]
	var around []context
	for _, c := range s.held {
		if c.Path == t.Path && c.Path != accesspath.Unknown || c.Path == accesspath.Unknown && c.Class == t.Class {
			return found // held already: a deadlock, or a case that cannot happen
		}
		around = append(around, c)
	}
	for p, list := range st.passed {
		if p != t.Path && !variant {
			continue
		}
		for _, x := range list {
			if x.at != i && d.takings[x.at].Ord == t.Ord {
				continue // the business of the callee, or of two that may be called
			}
			for _, c := range around {
				if p != c.Path && slices.ContainsFunc(x.contexts, c.same) && !slices.ContainsFunc(found, func(r pair) bool { return r.first == x.at && r.second == i && r.context.same(c) }) {
					found = append(found, pair{x.at, i, c})
				}
			}
		}
	}
	if t.Inner {
		st.pass(t.Path, passed{i, around})
	} else {
		st.taken[t.Path] = passed{i, around}
	}
	return found
}
