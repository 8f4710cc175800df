package reacquire

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/container/intsets"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
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

// Contexts are numbered by the function (see contextNumbers), so that the contexts of a
// taking are a set of numbers. These sets are never changed: states share them.

// A state is the set P, as the contexts that have been held ever since each taking was
// passed, with the contexts of each lock that the function has taken itself and still holds.
type state struct {
	passed []*intsets.Sparse // by taking; nil if it was not passed
	taken  map[accesspath.Path]holding
}

// A holding is a lock that was taken at a taking, in contexts.
type holding struct {
	at       int
	contexts *intsets.Sparse
}

func newState(takings int) *state {
	return &state{make([]*intsets.Sparse, takings), make(map[accesspath.Path]holding)}
}

func (s *state) clone() *state {
	return &state{slices.Clone(s.passed), maps.Clone(s.taken)}
}

// join adds what o has to s, and reports whether that was something new.
func (s *state) join(o *state) bool {
	changed := false
	for i, contexts := range o.passed {
		changed = s.pass(i, contexts) || changed
	}
	for p, x := range o.taken {
		if old, ok := s.taken[p]; !ok || x.at < old.at {
			s.taken[p] = x
			changed = true
		}
	}
	return changed
}

// pass marks the lock of a taking as passed, in contexts, and reports whether that was new.
func (s *state) pass(taking int, contexts *intsets.Sparse) bool {
	old := s.passed[taking]
	switch {
	case contexts == nil || old == contexts || contexts.IsEmpty():
		return false
	case old == nil:
		s.passed[taking] = contexts
		return true
	case contexts.SubsetOf(old):
		return false
	}
	both := new(intsets.Sparse)
	both.Union(old, contexts)
	s.passed[taking] = both
	return true
}

// leave ends critical sections: those of the numbers in ended.
func (s *state) leave(ended *intsets.Sparse) {
	for i, contexts := range s.passed {
		if contexts != nil && contexts.Intersects(ended) {
			s.passed[i] = without(contexts, ended)
		}
	}
	for p, x := range s.taken {
		if x.contexts.Intersects(ended) {
			s.taken[p] = holding{x.at, without(x.contexts, ended)}
		}
	}
}

func without(contexts, ended *intsets.Sparse) *intsets.Sparse {
	out := new(intsets.Sparse)
	out.Difference(contexts, ended)
	return out
}

// unmark forgets the locks whose names are made of something that is assigned.
func (s *state) unmark(takings []summary.Taking, names func(accesspath.Path) bool) {
	for i, contexts := range s.passed {
		if contexts != nil && names(takings[i].Path) {
			s.passed[i] = nil
		}
	}
	for p := range s.taken {
		if names(p) {
			delete(s.taken, p)
		}
	}
}

// contextNumbers numbers the contexts of a function.
type contextNumbers struct {
	of     map[contextKey]int
	ofPath map[accesspath.Path]*intsets.Sparse
}

// A contextKey is what two contexts that are the same have in common.
type contextKey struct {
	path  accesspath.Path
	class accesspath.Location
	site  int
}

// number returns the number of a context.
func (n *contextNumbers) number(c context) int {
	k := contextKey{c.Path, c.Class, c.site}
	i, ok := n.of[k]
	if !ok {
		i = len(n.of)
		n.of[k] = i
		if n.ofPath[c.Path] == nil {
			n.ofPath[c.Path] = new(intsets.Sparse)
		}
		n.ofPath[c.Path].Insert(i)
	}
	return i
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

// flow computes R for a function.
type flow struct {
	*detector
	numbers contextNumbers
	known   map[pairKey]bool // those in found
	found   []pair
}

// A pairKey identifies a pair: the two takings, and the number of the context.
type pairKey struct{ first, second, context int }

// pairs computes R.
func (d *detector) pairs() []pair {
	steps := d.steps()
	fl := &flow{
		detector: d,
		numbers:  contextNumbers{make(map[contextKey]int), make(map[accesspath.Path]*intsets.Sparse)},
		known:    make(map[pairKey]bool),
	}
	in := make([]*state, len(steps))
	in[0] = newState(len(d.takings))
	stale := make([]bool, len(steps)) // the state at the beginning of the block is new
	stale[0] = true
	for range limit.ReacquireRounds {
		changed := false
		for _, b := range d.f.Fn.Blocks {
			if !stale[b.Index] {
				continue
			}
			stale[b.Index] = false
			st := in[b.Index].clone()
			for _, s := range steps[b.Index] {
				fl.apply(st, s)
			}
			for _, succ := range b.Succs {
				isNew := in[succ.Index] == nil
				if isNew {
					in[succ.Index] = newState(len(d.takings))
				}
				if in[succ.Index].join(st) || isNew {
					stale[succ.Index] = true
					changed = true
				}
			}
		}
		if !changed {
			break
		}
	}
	return fl.found
}

// apply changes the state by one step and adds the pairs that it completes.
func (fl *flow) apply(st *state, s step) {
	if s.root != "" {
		st.unmark(fl.takings, func(p accesspath.Path) bool { return slices.Contains(mentioned(p), s.root) })
	}
	if s.path != "" {
		st.unmark(fl.takings, func(p accesspath.Path) bool { return p != s.path && p.Within(s.path) })
	}
	for _, op := range s.ops {
		ended := fl.numbers.ofPath[op.Guard.Path]
		if ended != nil && op.Kind != lockset.Acquire && op.Guard.Path != accesspath.Unknown && !op.May {
			st.leave(ended)
		}
	}
	for _, i := range s.takings {
		fl.take(st, s, i)
	}
	for _, op := range s.ops {
		if op.Kind != lockset.Release {
			continue
		}
		if x, ok := st.taken[op.Guard.Path]; ok {
			st.pass(x.at, x.contexts)
			delete(st.taken, op.Guard.Path)
		}
	}
}

// take adds the pairs that a taking completes, and marks the lock.
func (fl *flow) take(st *state, s step, i int) {
	t := fl.takings[i]
	around := new(intsets.Sparse)
	numbers := make([]int, len(s.held))
	for j, c := range s.held {
		if c.Path == t.Path && c.Path != accesspath.Unknown || c.Path == accesspath.Unknown && c.Class == t.Class {
			return // held already: a deadlock, or a case that cannot happen
		}
		numbers[j] = fl.numbers.number(c)
		around.Insert(numbers[j])
	}
	for first, contexts := range st.passed {
		p := fl.takings[first].Path
		switch {
		case contexts == nil || !contexts.Intersects(around):
			continue
		case p != t.Path && !variant:
			continue
		case first != i && fl.takings[first].Ord == t.Ord:
			continue // the business of the callee, or of two that may be called
		}
		for j, c := range s.held {
			key := pairKey{first, i, numbers[j]}
			if p != c.Path && contexts.Has(numbers[j]) && !fl.known[key] {
				fl.known[key] = true
				fl.found = append(fl.found, pair{first, i, c})
			}
		}
	}
	if t.Inner {
		st.pass(i, around)
	} else {
		st.taken[t.Path] = holding{i, around}
	}
}
