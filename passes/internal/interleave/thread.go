package interleave

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

func newThread(r *run, id int, u *Unit, args, free []value) *thread {
	t := &thread{id: id, r: r, unit: u, calls: make(map[string]int)}
	t.enter(u.Fn, args, free, nil)
	return t
}

// takeNeeded takes the next lock that the caller of the unit holds.
func (t *thread) takeNeeded() {
	l := t.needs[0]
	if !t.r.canTake(t, l.name, l.shared) {
		t.waits = l.name
		return
	}
	t.r.take(t, l.name, l.shared)
	t.held, t.needs = append(t.held, l), t.needs[1:]
}

func (t *thread) top() *frame { return t.frames[len(t.frames)-1] }

// enter pushes the frame of a call.
func (t *thread) enter(fn *ssa.Function, args, free []value, leave func(value)) {
	if len(t.frames) >= limit.RunDepth {
		panic(abort{bounded, "deep calls"})
	}
	depth := 0
	for _, f := range t.frames {
		if f.fn == fn {
			depth++
		}
	}
	if depth > 1 {
		panic(abort{bounded, "recursion"})
	}
	if len(fn.Blocks) == 0 {
		panic(abort{unmodelled, "a function without code"})
	}
	f := &frame{fn: fn, block: fn.Blocks[0], env: make(map[ssa.Value]value, 16), visits: make(map[*ssa.BasicBlock]int), leave: leave}
	for i, p := range fn.Params {
		if i < len(args) {
			f.env[p] = args[i]
		}
	}
	for i, v := range fn.FreeVars {
		if i < len(free) {
			f.env[v] = free[i]
		}
	}
	f.visits[f.block] = 1
	t.frames = append(t.frames, f)
}

// next returns the instruction that is executed next.
func (t *thread) next() ssa.Instruction {
	f := t.top()
	return f.block.Instrs[f.pc]
}

// step executes one instruction. If it has to wait, nothing is changed but t.waits.
func (t *thread) step() {
	t.waits, t.boundary = "", false
	r := t.r
	if len(t.needs) > 0 {
		t.takeNeeded()
		return
	}
	if r.steps++; r.steps > limit.RunSteps {
		panic(abort{bounded, "a long run"})
	}
	f := t.top()
	if f.pc == 0 {
		t.phis(f)
	}
	instr := f.block.Instrs[f.pc]
	r.e.spent++
	switch instr := instr.(type) {
	case *ssa.Phi:
		f.pc++
	case *ssa.Jump:
		t.jump(f, f.block.Succs[0])
	case *ssa.If:
		to := 1
		if t.truth(f.get(r, instr.Cond)) {
			to = 0
		}
		t.jump(f, f.block.Succs[to])
	case *ssa.Return:
		t.leaveFrame(f, instr)
	case *ssa.RunDefers:
		t.runDefers(f)
	case *ssa.Panic:
		panic(abort{crashed, "panic at " + r.e.position(instr.Pos())})
	default:
		depth := len(t.frames)
		t.exec(f, instr)
		if t.waits == "" && len(t.frames) <= depth {
			f.pc++
		}
	}
}

// phis evaluates the phi instructions of a block at once.
func (t *thread) phis(f *frame) {
	var vals []value
	for _, instr := range f.block.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		for i, p := range f.block.Preds {
			if p == f.prev {
				vals = append(vals, f.get(t.r, phi.Edges[i]))
				break
			}
		}
	}
	for i, v := range vals {
		f.env[f.block.Instrs[i].(*ssa.Phi)] = v
	}
}

func (t *thread) jump(f *frame, to *ssa.BasicBlock) {
	if f.visits[to]++; f.visits[to] > limit.RunVisits {
		panic(abort{bounded, "a loop"})
	}
	f.prev, f.block, f.pc = f.block, to, 0
}

func (t *thread) truth(v value) bool {
	switch v := v.(type) {
	case boolean:
		return bool(v)
	case symbol:
		return t.r.w.choose("if "+v.name, 2) == 0
	}
	panic(abort{unmodelled, fmt.Sprintf("a condition on %T", v)})
}

func (t *thread) leaveFrame(f *frame, ret *ssa.Return) {
	var result value
	switch len(ret.Results) {
	case 0:
	case 1:
		result = f.get(t.r, ret.Results[0])
	default:
		out := make(tuple, len(ret.Results))
		for i, v := range ret.Results {
			out[i] = f.get(t.r, v)
		}
		result = out
	}
	t.frames = t.frames[:len(t.frames)-1]
	if f.leave != nil {
		f.leave(result)
		caller := t.top()
		if _, deferred := caller.block.Instrs[caller.pc].(*ssa.RunDefers); !deferred {
			caller.pc++
		}
		return
	}
	t.done, t.result = true, result
	t.boundary = true
	for _, l := range t.held {
		t.r.release(t, l.name, l.shared)
	}
}

// runDefers executes the deferred calls, the last one first.
func (t *thread) runDefers(f *frame) {
	n := len(f.defers)
	if n == 0 {
		f.pc++
		return
	}
	d := f.defers[n-1]
	f.defers = f.defers[:n-1]
	if !t.call(f, d.instr, d.fn, d.args, func(value) {}) {
		f.defers = append(f.defers, d) // it has to wait
	}
}

// recovers reports whether a function that is being executed may recover from a panic.
func (r *run) recovers() bool {
	for _, t := range r.threads {
		if t == nil {
			continue
		}
		for _, f := range t.frames {
			if f.fn.Recover != nil && len(f.defers) > 0 && ssautil.Recovers(f.fn) {
				return true
			}
		}
	}
	return false
}

// fresh returns a number for a call that has a new result each time.
func (t *thread) fresh(what string) string {
	t.calls[what]++
	return fmt.Sprintf("%s@%d.%d", what, t.id+1, t.calls[what])
}
