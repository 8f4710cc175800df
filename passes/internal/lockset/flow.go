package lockset

import (
	"iter"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A Flow is the lock state of one function.
type Flow struct {
	fn  *ssa.Function
	res *accesspath.Resolver
	ops map[ssa.Instruction][]Op
	// tried are the operations whose effect depends on an outcome, by the value of the
	// outcome.
	tried map[ssa.Value][]attempt
	start []int    // ordinal of the first instruction of each block
	in    []*State // state at the start of each block
	// given are the locks that the function releases without having taken them: the caller
	// holds them when the function starts.
	given []Guard
	// assumed are those of given that are released by a callee on some paths only. Such a
	// release is no evidence that the caller always holds the lock.
	assumed map[accesspath.Path]bool
	// forgotten are the paths of locks that were reassigned while held.
	forgotten map[accesspath.Path]bool
	// locals are the local values that are roots of paths of held locks. The paths change
	// their meaning when such a value is computed anew.
	locals map[ssa.Value]accesspath.Path
	// Exceeds is the name of the bound that the function exceeds, "" for none: see package
	// limit.
	Exceeds string
}

// Analyze computes the lock state of fn. ops has the effects of each call, defer, send,
// receive and store on locks; instructions without an entry have no effect.
func Analyze(fn *ssa.Function, res *accesspath.Resolver, ops map[ssa.Instruction][]Op) *Flow {
	f := &Flow{
		fn: fn, res: res, ops: ops,
		assumed:   make(map[accesspath.Path]bool),
		forgotten: make(map[accesspath.Path]bool),
		locals:    make(map[ssa.Value]accesspath.Path),
	}
	f.start = make([]int, len(fn.Blocks))
	n := 0
	for i, b := range fn.Blocks {
		f.start[i] = n
		n += len(b.Instrs)
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			f.try(instr, ops[instr])
		}
	}
	for _, list := range ops {
		for _, op := range list {
			if v := res.Definition(op.Guard.Path); v != nil {
				f.locals[v] = op.Guard.Path.Root()
			}
		}
	}
	if len(ops) == 0 {
		return f // no effect on locks: see Walk
	}
	for len(f.given) <= limit.GivenLocks {
		if g, ok := f.fixpoint(); ok {
			f.given = append(f.given, g)
			continue
		}
		break
	}
	return f
}

// Ordinal returns the number of instruction i of block b in the function.
func (f *Flow) Ordinal(b *ssa.BasicBlock, i int) int { return f.start[b.Index] + i }

// Given returns the locks of the caller that the function releases.
func (f *Flow) Given() []Guard { return f.given }

// Gives reports whether the function releases, or may release, the lock of its caller
// named p.
func (f *Flow) Gives(p accesspath.Path) bool {
	return slices.ContainsFunc(f.given, func(g Guard) bool { return g.Path == p })
}

// Confirmed returns the flow of the same function under the assumption that all callers
// hold the given locks, and whether it differs from f: one of the locks is among those
// that f only assumed to be held.
func (f *Flow) Confirmed(held []Guard) (*Flow, bool) {
	news := slices.ContainsFunc(held, func(g Guard) bool { return f.assumed[g.Path] })
	if !news {
		return f, false
	}
	out := *f
	out.assumed = maps.Clone(f.assumed)
	for _, g := range held {
		delete(out.assumed, g.Path)
	}
	return &out, true
}

// InState reports whether a lock of the caller is a part of the lock state, because the
// function certainly releases it.
func (f *Flow) InState(p accesspath.Path) bool { return f.Gives(p) && !f.assumed[p] }

// Holds reports whether h is must-held, as far as f is concerned: it is held on every
// path, and h is not a lock of the caller that f only assumes to be held.
func (f *Flow) Holds(h Held) bool {
	return h.Must && !(f.assumed[h.Path] && slices.Contains(h.Sites, Entry))
}

// fixpoint computes the states at the start of the blocks. It stops early at a release of
// a lock that is not held, and returns that lock.
func (f *Flow) fixpoint() (Guard, bool) {
	f.in = make([]*State, len(f.fn.Blocks))
	entry := new(State)
	for _, g := range f.given {
		entry.acquire(g, true, Entry)
	}
	f.in[0] = entry
	stale := make([]bool, len(f.in)) // by block: its effect on the next ones is to be computed
	stale[0] = true
	for range limit.LockRounds {
		changed := false
		for _, b := range f.fn.Blocks {
			if !stale[b.Index] {
				continue
			}
			stale[b.Index] = false
			st, given := f.through(b, nil)
			if given != nil && !f.Gives(given.Path) {
				if len(f.given) < limit.GivenLocks {
					return *given, true
				}
				f.Exceeds = "GivenLocks"
			}
			for i, succ := range b.Succs {
				if never(b, i) {
					continue
				}
				next := Join(f.in[succ.Index], f.edge(b, i, st))
				if !Equal(next, f.in[succ.Index]) {
					f.in[succ.Index] = next
					stale[succ.Index], changed = true, true
				}
			}
		}
		if !changed {
			f.share()
			return Guard{}, false
		}
	}
	f.Exceeds = "LockRounds"
	return Guard{}, false
}

// share lets blocks with equal states share one: most have that of a neighbor.
func (f *Flow) share() {
	for i, b := range f.fn.Blocks {
		for _, pred := range b.Preds {
			if j := pred.Index; j < i && f.in[i] != nil && Equal(f.in[i], f.in[j]) {
				f.in[i] = f.in[j]
				break
			}
		}
		if i > 0 && f.in[i] != nil && Equal(f.in[i], f.in[i-1]) {
			f.in[i] = f.in[i-1]
		}
	}
}

// through applies the instructions of b to the state at its start. visit, if
// not nil, is called with the state before each. It returns the final state
// and the first lock that is released without being held, if any.
func (f *Flow) through(b *ssa.BasicBlock, visit func(ssa.Instruction, int, *State)) (*State, *Guard) {
	st := f.in[b.Index].clone()
	var given *Guard
	for i, instr := range b.Instrs {
		ord := f.start[b.Index] + i
		if visit != nil {
			visit(instr, ord, st)
		}
		if g := f.apply(instr, ord, st); g != nil && given == nil {
			given = g
		}
	}
	return st, given
}

// apply changes st by the effect of one instruction.
func (f *Flow) apply(instr ssa.Instruction, ord int, st *State) *Guard {
	switch instr := instr.(type) {
	case *ssa.Phi:
		return nil // renamed on the edges
	case *ssa.Defer:
		if len(f.ops[instr]) > 0 {
			i, found := slices.BinarySearchFunc(st.defers, ord, func(d deferred, ord int) int { return d.ord - ord })
			if !found {
				st.defers = slices.Insert(st.defers, i, deferred{ord, true})
			}
		}
		return nil
	case *ssa.RunDefers:
		return f.runDefers(st)
	case *ssa.Go:
		return nil
	case *ssa.Store:
		f.reassign(instr, st)
		return nil
	}
	if v, ok := instr.(ssa.Value); ok {
		if root, ok := f.locals[v]; ok {
			forget(st, root)
		}
	}
	return f.do(f.ops[instr], ord, st)
}

func (f *Flow) do(ops []Op, ord int, st *State) *Guard {
	var given *Guard
	for _, op := range ops {
		if op.Guard.Path == accesspath.Unknown || op.Outcome != Always {
			continue // applied on the edges of the branch on the outcome, see edge
		}
		switch op.Kind {
		case Acquire:
			st.acquire(op.Guard, !op.May, ord)
		case Split:
			h := st.Find(op.Guard.Path)
			if h == nil && op.Unnamed {
				if len(st.Held) == 1 {
					h = &st.Held[0]
				} else {
					continue
				}
			}
			if h != nil {
				st.acquire(h.Guard, !op.May, ord)
			} else if given == nil {
				given = &op.Guard
				f.assumed[op.Guard.Path] = op.May
			}
		case Release:
			if h := st.Find(op.Guard.Path); h != nil && h.Must && op.May {
				h.Must = false // a conditional release of a lock that was taken unconditionally
				continue
			}
			if st.release(op.Guard.Path) || f.releaseAlike(op.Guard, st) || op.May {
				continue
			}
			if given == nil && !op.Guard.Path.IsLocal() && !f.forgotten[op.Guard.Path] {
				given = &op.Guard
			}
		}
	}
	return given
}

// releaseAlike releases the one held lock of the same class as g if the two
// have local names: s.shard(k).Lock() and s.shard(k).Unlock() call shard twice.
func (f *Flow) releaseAlike(g Guard, st *State) bool {
	if !g.Path.IsLocal() || g.Class == "" {
		return false
	}
	found := accesspath.Unknown
	for _, h := range st.Held {
		if h.Class == g.Class && h.Path.IsLocal() {
			if found != accesspath.Unknown {
				return false
			}
			found = h.Path
		}
	}
	return found != accesspath.Unknown && st.release(found)
}

// runDefers applies the deferred calls, the latest first. A call that was deferred on
// some paths only has its effect on those.
func (f *Flow) runDefers(st *State) *Guard {
	var given *Guard
	for i := len(st.defers) - 1; i >= 0; i-- {
		d := st.defers[i]
		if d.must {
			if g := f.do(f.ops[f.instr(d.ord)], d.ord, st); g != nil && given == nil {
				given = g
			}
			continue
		}
		// A conditional release matches a conditional acquisition.
		for _, op := range f.ops[f.instr(d.ord)] {
			op.May = true
			if op.Kind == Release {
				if h := st.Find(op.Guard.Path); h != nil && h.Must && h.Sites[0] != Entry {
					continue
				}
			}
			f.do([]Op{op}, d.ord, st)
		}
	}
	st.defers = nil
	return given
}

func (f *Flow) instr(ord int) ssa.Instruction {
	b, found := slices.BinarySearch(f.start, ord)
	if !found {
		b--
	}
	return f.fn.Blocks[b].Instrs[ord-f.start[b]]
}

// reassign forgets the locks whose paths go through the memory that s changes.
func (f *Flow) reassign(s *ssa.Store, st *State) {
	if len(st.Held) == 0 {
		return
	}
	switch s.Addr.(type) {
	case *ssa.FieldAddr, *ssa.Global:
	default:
		return
	}
	p := f.res.Resolve(s.Addr).Path
	st.Held = slices.DeleteFunc(st.Held, func(h Held) bool {
		gone := h.Path != p && h.Path.Within(p)
		if gone {
			// Its release will look like the release of a lock of the caller.
			f.forgotten[h.Path] = true
		}
		return gone
	})
}

// forget removes the locks whose paths start at root.
func forget(st *State, root accesspath.Path) {
	st.Held = slices.DeleteFunc(st.Held, func(h Held) bool { return h.Path.Root() == root })
}

// edge returns the state at the start of successor i of b: phis rename values, and the
// branch decides whether a TryLock was successful.
func (f *Flow) edge(b *ssa.BasicBlock, i int, st *State) *State {
	succ := b.Succs[i]
	out := f.branch(b, i, st)
	if len(out.Held) == 0 || len(f.locals) == 0 {
		return out
	}
	pred := slices.Index(succ.Preds, b)
	var renamed *State
	for _, instr := range succ.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		root, ok := f.locals[phi]
		if !ok {
			continue
		}
		if renamed == nil {
			renamed = out.clone()
		}
		forget(renamed, root)
		from := f.res.Resolve(phi.Edges[pred]).Path
		for _, h := range out.Held {
			if h.Path.Within(from) {
				renamed.release(h.Path)
				h.Path = root + h.Path[len(from):]
				if j, found := slices.BinarySearchFunc(renamed.Held, h.Path, comparePath); !found {
					renamed.Held = slices.Insert(renamed.Held, j, h)
				}
			}
		}
	}
	if renamed != nil {
		return renamed
	}
	return out
}

// never reports whether the branch at the end of b is on a constant that excludes
// successor i: if debug { … }.
func never(b *ssa.BasicBlock, i int) bool {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	return ok && branch.Never(br.Cond, i)
}

// branch applies the operations of b's calls whose effect depends on an outcome
// that the branch at the end of b decides.
func (f *Flow) branch(b *ssa.BasicBlock, i int, st *State) *State {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return st
	}
	out := st
	for t := range f.decided(br, i) {
		if out == st {
			out = st.clone()
		}
		if t.op.Kind == Acquire {
			out.acquire(t.op.Guard, !t.op.May, t.ord)
		} else {
			out.release(t.op.Guard.Path)
		}
	}
	return out
}

// An attempt is an operation whose effect depends on an outcome.
type attempt struct {
	op  Op
	ord int // of its instruction
}

// try records the operations of an instruction whose effect depends on an outcome.
func (f *Flow) try(instr ssa.Instruction, ops []Op) {
	for _, op := range ops {
		if op.Outcome == Always || op.Guard.Path == accesspath.Unknown {
			continue
		}
		v, _ := instr.(ssa.Value)
		if v != nil {
			v = ssautil.Result(v, op.Result)
		}
		if v != nil {
			if f.tried == nil {
				f.tried = make(map[ssa.Value][]attempt)
			}
			b := instr.Block()
			f.tried[v] = append(f.tried[v], attempt{op, f.start[b.Index] + slices.Index(b.Instrs, instr)})
		}
	}
}

// decided yields the attempts that have taken effect if branch br goes to its successor i.
func (f *Flow) decided(br *ssa.If, i int) iter.Seq[attempt] {
	return func(yield func(attempt) bool) {
		if len(f.tried) == 0 {
			return
		}
		seen := make(map[ssa.Value]bool)
		for fact := range branch.Implied(br.Cond, i == 0) {
			v := fact.Subject
			if seen[v] {
				continue
			}
			seen[v] = true
			for _, t := range f.tried[v] {
				if branch.Side(br.Cond, func(f branch.Fact) bool { return f.Subject == v && t.op.Has(f) }) == i && !yield(t) {
					return
				}
			}
		}
	}
}

// Told returns the operations, such as TryLock, that have succeeded if control goes from b
// to its successor i, as the condition of the branch implies.
func (f *Flow) Told(b *ssa.BasicBlock, i int) []Op {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	var out []Op
	for t := range f.decided(br, i) {
		out = append(out, t.op)
	}
	return out
}

// Walk calls visit for every reachable instruction, in order of the blocks, with its
// ordinal and the state before it. visit must not keep the state.
func (f *Flow) Walk(visit func(instr ssa.Instruction, ord int, st *State)) {
	if f.in == nil {
		none := new(State)
		for _, b := range f.fn.Blocks {
			if b == f.fn.Recover {
				continue
			}
			for i, instr := range b.Instrs {
				visit(instr, f.start[b.Index]+i, none)
			}
		}
		return
	}
	for _, b := range f.fn.Blocks {
		if f.in[b.Index] != nil {
			f.through(b, visit)
		}
	}
}
