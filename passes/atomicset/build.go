package atomicset

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// A builder translates a function to one procedure of a model. A block is translated once
// for each state in which it is entered: the deferred calls, and the paths of the phis.
// This keeps branches apart on which a lock differs, or is not taken.

func (b *builder) build() {
	b.emit(model.Skip, 0, token.NoPos, "")
	if b.in.unit {
		b.emit(model.Begin, 0, b.in.f.Fn.Pos(), "")
	}
	b.enter(b.in.f.Fn.Blocks[0], state{})
	for len(b.work) > 0 {
		j := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		b.loose = []int{j.node}
		b.block(j.block, j.st)
	}
}

// enter makes the first node of a block, in a state, the successor of the loose nodes.
func (b *builder) enter(block *ssa.BasicBlock, st state) {
	key := st.key(block.Index)
	node, ok := b.states[key]
	if !ok {
		if b.count[block.Index]++; b.count[block.Index] > limit.ModelStates || b.t.nodes > limit.ModelNodes {
			b.t.full = true
			return
		}
		loose := b.loose
		b.loose = nil
		node = b.emit(model.Skip, 0, token.NoPos, "")
		b.loose = loose
		b.states[key] = node
		b.work = append(b.work, job{block, st, node})
	}
	b.link(node)
}

// block translates the instructions of a block.
func (b *builder) block(block *ssa.BasicBlock, st state) {
	b.vars = st.vars
	if len(b.retried(block)) > 0 {
		b.emit(model.Try, 0, token.NoPos, "")
	}
	var swaps [2][]summary.Step // compare-and-swaps known to be successful at a successor
	for _, instr := range block.Instrs {
		switch instr := instr.(type) {
		case *ssa.Defer:
			if len(b.steps[instr]) > 0 && !slices.Contains(st.defers, instr) {
				st.defers = append(slices.Clip(st.defers), instr)
			}
			continue
		case *ssa.RunDefers:
			for i := len(st.defers) - 1; i >= 0; i-- {
				b.do(b.steps[st.defers[i]])
			}
			st.defers = nil
			continue
		case *ssa.Return:
			if b.in.unit {
				b.emit(model.End, 0, instr.Pos(), "")
			}
			b.emit(model.Return, 0, instr.Pos(), "")
			return
		case *ssa.Panic:
			return
		}
		if at := b.swapSucceeds(block, instr); at >= 0 {
			// The branch on the result decides whether the swap took effect. A swap that
			// fails is no access: its result reveals only that the value has changed.
			swaps[at] = append(swaps[at], b.steps[instr]...)
			continue
		}
		b.do(b.steps[instr])
	}
	loose := b.loose
	for i, succ := range block.Succs {
		b.loose = loose
		if b.in.f.Flow != nil {
			for _, op := range b.in.f.Flow.Told(block, i) {
				op.Outcome = lockset.Always
				b.lock(op, block.Instrs[len(block.Instrs)-1].Pos())
			}
		}
		if i < len(swaps) {
			b.do(swaps[i])
		}
		if succ.Dominates(block) {
			for _, loc := range b.retried(succ) {
				b.emit(model.Retry, loc, token.NoPos, "")
			}
		}
		b.enter(succ, state{st.defers, b.joined(block, succ)})
	}
}

// do translates steps.
func (b *builder) do(steps []summary.Step) {
	for _, s := range steps {
		switch s.Kind {
		case summary.AccessStep:
			b.access(s)
		case summary.LockStep:
			b.lock(s.Lock, s.Pos)
		case summary.CallStep:
			b.calls(s, b.bindings(s.Callees))
		case summary.RepeatedStep:
			head := b.emit(model.Skip, 0, s.Pos, "")
			b.calls(s, b.bindings(s.Callees))
			b.link(head)
			b.loose = []int{head}
		case summary.ArgumentStep:
			if s.Param < len(b.in.fns) && s.Param >= 0 && b.in.fns[s.Param] != nil {
				b.calls(s, []*binding{b.in.fns[s.Param]})
			}
		case summary.SpawnStep:
			b.spawn(s)
		case summary.AwaitStep:
			b.await(s)
		}
	}
}

// access translates an access to a member of the set. An atomic read-modify-write is a
// critical section of a lock of the location.
func (b *builder) access(s summary.Step) {
	path := b.sym(s.Event.MemberPath())
	i := b.t.set.accessed(path, s.Event.Loc)
	if i < 0 || !b.guarded(s.Event) {
		return
	}
	m := b.t.set.members[i]
	loc := b.t.m.Location(m.name())
	atomic := slices.ContainsFunc(s.Event.Holds, summary.Hold.IsAtomic)
	guard := 0
	if atomic {
		guard = b.t.m.Lock("atomic." + m.name())
		b.emit(model.Lock, guard, token.NoPos, "")
	}
	text := b.in.f.NameOf(s.Event)
	if s.Event.Op&summary.Compare != 0 && s.Event.Writes() {
		// The swap has succeeded: the value read before has not changed since.
		b.emit(model.Retry, loc, token.NoPos, "")
	}
	if s.Event.Reads() {
		b.emit(model.Read, loc, s.Pos, text)
	}
	if s.Event.Writes() {
		b.emit(model.Write, loc, s.Pos, text)
	}
	if atomic {
		b.emit(model.Unlock, guard, token.NoPos, "")
	}
}
