package funcsum

import (
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"golang.org/x/tools/go/ssa"
)

// StepKind is what a step does.
type StepKind uint8

const (
	// AccessStep is an access to shared memory.
	AccessStep StepKind = iota
	// LockStep is an operation on a lock.
	LockStep
	// CallStep is a call of one of some functions of the package.
	CallStep
	// RepeatedStep is a call, any number of times, of a function that a
	// function of another package is given.
	RepeatedStep
	// SpawnStep starts a goroutine, or hands a function to others to be run
	// at some time.
	SpawnStep
	// ArgumentStep is a call of a parameter.
	ArgumentStep
	// SignalStep tells others that something has happened: Done of a
	// WaitGroup, a send to a channel, or closing it.
	SignalStep
	// AwaitStep waits for signals.
	AwaitStep
)

// A Step is one of the things that an instruction does, for detectors that
// follow the control flow of functions themselves. Unlike an Event it is also
// there in functions without locks, and it stops at calls of functions of the
// package.
type Step struct {
	Kind    StepKind
	Instr   ssa.Instruction
	Event   *Event // of an AccessStep
	Lock    lockset.Op
	Callees []Callee
	Param   int             // of an ArgumentStep
	Path    accesspath.Path // of a SignalStep or AwaitStep: the WaitGroup or channel
	Pos     token.Pos
}

// A Callee is a function that a call may run.
type Callee struct {
	Func   *Body
	p      *Summaries
	caller *Body
	c      callgraph.Callee
}

// Translate rewrites a path of the callee in the terms of the caller.
func (c Callee) Translate(path accesspath.Path) accesspath.Path {
	return c.p.Translate(c.caller, c.c, path)
}

// Argument returns the functions that argument i of the call may be, if that is
// known, and otherwise the parameter of the caller that is passed on, or -1.
func (c Callee) Argument(i int) ([]Callee, int) {
	if i >= len(c.c.Args) {
		return nil, -1
	}
	if prm, ok := c.c.Args[i].(*ssa.Parameter); ok {
		return nil, slices.Index(c.caller.Fn.Params, prm)
	}
	var out []Callee
	for _, lit := range c.p.Argument(c.caller.Node, c.c, i) {
		if lit.Fn != nil {
			out = append(out, Callee{Func: c.p.of(lit.Fn), p: c.p, caller: c.caller, c: lit})
		}
	}
	return out, -1
}

// Steps returns what the instructions of f do, those that do something.
func (f *Body) Steps() map[ssa.Instruction][]Step {
	if f.steps != nil {
		return f.steps
	}
	f.in.resolver(f)
	f.steps = make(map[ssa.Instruction][]Step)
	published := f.in.Publications(f)
	visit := func(instr ssa.Instruction, ord int, st *lockset.State) {
		// The events are not those of the function, which has its own.
		scratch := *f
		scratch.Events = nil
		s := stepper{collector{p: f.in, f: &scratch, instr: instr, ord: ord, st: st, published: published}, f}
		if list := s.steps(); len(list) > 0 {
			f.steps[instr] = list
		}
	}
	if f.Flow != nil {
		f.Flow.Walk(visit)
		return f.steps
	}
	none, ord := new(lockset.State), 0
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			visit(instr, ord, none)
			ord++
		}
	}
	return f.steps
}

// A stepper finds the steps of one instruction.
type stepper struct {
	collector
	of *Body
}

func (s *stepper) steps() []Step {
	switch instr := s.instr.(type) {
	case *ssa.Go:
		return s.spawn(instr)
	case *ssa.Send:
		return append(s.tokens(), s.signal(SignalStep, instr.Chan)...)
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			return append(s.tokens(), s.signal(AwaitStep, instr.X)...)
		}
	case *ssa.Select:
		return s.tokens()
	case ssa.CallInstruction:
		return s.callSteps(instr)
	}
	s.collect()
	return s.accesses()
}

// accesses returns the steps of the events that were found. Those inside a
// function of another package come with the passages that they are in.
func (s *stepper) accesses() []Step {
	var out []Step
	var open []Hold
	leave := func(keep []Hold) {
		for i := len(open) - 1; i >= 0; i-- {
			h := open[i]
			if !slices.ContainsFunc(keep, func(k Hold) bool { return k.SamePassage(h) }) {
				out = append(out, s.lock(lockset.Op{Kind: lockset.Release, Guard: h.Guard}))
				open = slices.Delete(open, i, i+1)
			}
		}
	}
	for _, e := range s.f.Events {
		var inner []Hold
		for _, h := range e.Holds {
			if h.Inner && !h.IsAtomic() && h.Mode != lockset.Once {
				inner = append(inner, h)
			}
		}
		leave(inner)
		for _, h := range inner {
			if !slices.ContainsFunc(open, h.SamePassage) {
				out = append(out, s.lock(lockset.Op{Kind: lockset.Acquire, Guard: h.Guard}))
				open = append(open, h)
			}
		}
		out = append(out, Step{Kind: AccessStep, Instr: s.instr, Event: e, Pos: e.Pos.Pos})
	}
	leave(nil)
	s.f.Events = nil
	return out
}

func (s *stepper) lock(op lockset.Op) Step {
	return Step{Kind: LockStep, Instr: s.instr, Lock: op, Pos: ssautil.Pos(s.instr)}
}

// tokens returns the operations on a channel that is a lock.
func (s *stepper) tokens() []Step {
	var out []Step
	for _, op := range s.of.ops[s.instr] {
		out = append(out, s.lock(op))
	}
	return out
}

func (s *stepper) signal(kind StepKind, v ssa.Value) []Step {
	path := s.f.Res.Resolve(v).Path
	if path == accesspath.Unknown {
		return nil
	}
	return []Step{{Kind: kind, Instr: s.instr, Path: path, Pos: ssautil.Pos(s.instr)}}
}

func (s *stepper) callee(c callgraph.Callee) Callee {
	return Callee{Func: s.p.of(c.Fn), p: s.p, caller: s.of, c: c}
}

// spawn returns the steps of a go statement.
func (s *stepper) spawn(g *ssa.Go) []Step {
	var out []Callee
	for _, c := range s.p.Callees(s.of, &g.Call) {
		if c.Fn != nil {
			out = append(out, s.callee(c))
		}
	}
	return s.started(out)
}

func (s *stepper) started(callees []Callee) []Step {
	if len(callees) == 0 {
		return nil
	}
	return []Step{{Kind: SpawnStep, Instr: s.instr, Callees: callees, Pos: ssautil.Pos(s.instr)}}
}

// callSteps returns the steps of a call, or of a deferred one.
func (s *stepper) callSteps(instr ssa.CallInstruction) []Step {
	common := instr.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if b.Name() == "close" {
			return s.signal(SignalStep, common.Args[0])
		}
		s.builtin(b.Name(), common.Args)
		return s.accesses()
	}
	if prm, ok := common.Value.(*ssa.Parameter); ok && !common.IsInvoke() {
		return []Step{{Kind: ArgumentStep, Instr: s.instr, Param: slices.Index(s.of.Fn.Params, prm), Pos: ssautil.Pos(s.instr)}}
	}
	var out []Step
	var own []Callee
	for _, c := range s.p.Callees(s.of, common) {
		if c.Fn != nil {
			own = append(own, s.callee(c))
		} else {
			out = append(out, s.foreign(c, instr)...)
		}
	}
	if op, ok := lockset.Primitive(common, s.f.Res); ok && !s.entersLock(own) {
		return []Step{s.lock(s.named(op))}
	}
	if len(own) > 0 {
		out = append(out, Step{Kind: CallStep, Instr: s.instr, Callees: own, Pos: ssautil.Pos(s.instr)})
	}
	return out
}

// entersLock reports whether the callees show what they lock, so that they need
// not be taken for locks by their names.
func (s *stepper) entersLock(callees []Callee) bool {
	return slices.ContainsFunc(callees, func(c Callee) bool { return c.Func.Sum != nil && len(c.Func.Sum.Effects) > 0 })
}

// named finds out which lock is meant by an operation on the only one held.
func (s *stepper) named(op lockset.Op) lockset.Op {
	if op.Unnamed && len(s.st.Held) == 1 {
		op.Guard, op.Unnamed = s.st.Held[0].Guard, false
	}
	return op
}

// foreign returns the steps inside a function of another package.
func (s *stepper) foreign(c callgraph.Callee, instr ssa.CallInstruction) []Step {
	if c.Obj == nil {
		return nil
	}
	if stdlib.Declares(c.Obj).Listed {
		return s.sync(c, instr)
	}
	var out []Step
	if c.Sum != nil {
		s.calleeEvents(callgraph.Callee{Sum: c.Sum, Obj: c.Obj, Args: c.Args}, c.Sum, instr)
		out = s.accesses()
		for _, op := range s.p.effects(s.of, c, c.Sum, nil) {
			out = append(out, s.lock(op))
		}
	} else {
		s.container(c, instr)
		out = s.accesses()
	}
	return append(out, s.given(c, instr)...)
}

// given returns the steps of the functions that one of another package is given.
func (s *stepper) given(c callgraph.Callee, instr ssa.CallInstruction) []Step {
	var out []Step
	for i := range c.Args {
		lits, _ := (Callee{p: s.p, caller: s.of, c: c}).Argument(i)
		if len(lits) == 0 {
			continue
		}
		kind := RepeatedStep
		if s.p.ArgumentKind(instr) != fact.Called {
			kind = SpawnStep
		}
		out = append(out, Step{Kind: kind, Instr: s.instr, Callees: lits, Pos: ssautil.Pos(s.instr)})
	}
	return out
}

// sync returns the steps of a function of package sync or sync/atomic.
func (s *stepper) sync(c callgraph.Callee, instr ssa.CallInstruction) []Step {
	switch known := stdlib.OfFunc(c.Obj); {
	case known.Signals:
		return s.signal(SignalStep, c.Args[0])
	case known.Awaits:
		return s.signal(AwaitStep, c.Args[0])
	case known.Group:
		out := s.given(c, instr)
		for i := range out {
			out[i].Path = s.f.Res.Resolve(c.Args[0]).Path
		}
		return out
	case known.Runs == stdlib.Once:
		return nil // it happens once, before all that is done because of it
	case known.Access != 0:
		s.syncCall(c.Obj, c.Args, instr)
	}
	return s.accesses()
}

// MemberPath returns the path of what an event accesses, without its element.
func (e *Event) MemberPath() accesspath.Path { return memberPath(e.Base, e.Loc) }
