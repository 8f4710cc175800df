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

// A StepKind is the kind of a Step.
type StepKind uint8

const (
	// AccessStep is an access to shared memory.
	AccessStep StepKind = iota
	// LockStep is an operation on a lock.
	LockStep
	// CallStep is a call of a function of the package, one of several if there are more.
	CallStep
	// RepeatedStep is any number of calls of a function argument by a function of another
	// package.
	RepeatedStep
	// SpawnStep starts a goroutine, or passes a function to code that calls it at an
	// unknown time.
	SpawnStep
	// ArgumentStep is a call of a parameter.
	ArgumentStep
	// SignalStep is a signal with a happens-before edge to an AwaitStep: Done of a
	// WaitGroup, a send to a channel, or closing it.
	SignalStep
	// AwaitStep blocks until signals have come.
	AwaitStep
)

// A Step is one operation of an instruction, for detectors that follow the control flow of
// functions themselves. Functions without locks have Steps too, and those of a call of a
// function of the package do not include those of the callee.
type Step struct {
	// Kind decides which of the other fields are set.
	Kind  StepKind
	Instr ssa.Instruction
	Event *Event // for an AccessStep
	// Lock is the operation of a LockStep, and Callees the functions that a CallStep,
	// RepeatedStep or SpawnStep may run.
	Lock    lockset.Op
	Callees []Callee
	Param   int             // for an ArgumentStep: index of the parameter
	Path    accesspath.Path // for a SignalStep or AwaitStep: the WaitGroup or channel
	Pos     token.Pos
}

// A Callee is a function of the package that a call may run.
type Callee struct {
	// Func is the function.
	Func   *Body
	p      *Summaries
	caller *Body
	c      callgraph.Callee
}

// Translate rewrites a path of the callee in the terms of the caller.
func (c Callee) Translate(path accesspath.Path) accesspath.Path {
	return c.p.Translate(c.caller, c.c, path)
}

// Argument returns the functions that argument i of the call may be. If the argument is a
// parameter of the caller it returns the index of that instead, and otherwise -1.
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

// Steps returns the Steps of the instructions of f that have any.
func (f *Body) Steps() map[ssa.Instruction][]Step {
	if f.steps != nil {
		return f.steps
	}
	f.in.resolver(f)
	f.steps = make(map[ssa.Instruction][]Step)
	published := f.in.Publications(f)
	visit := func(instr ssa.Instruction, ord int, st *lockset.State) {
		// A copy receives the accesses: the function has its own already.
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

// A stepper finds the Steps of one instruction.
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

// accesses returns the Steps for the accesses that were found. Critical sections inside a
// function of another package become operations on locks around them.
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

// spawn returns the Step of a go statement.
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

// callSteps returns the Steps of a call, also of a deferred one.
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

// entersLock reports whether the summary of a callee has effects on locks, which have
// precedence over the meaning of its name.
func (s *stepper) entersLock(callees []Callee) bool {
	return slices.ContainsFunc(callees, func(c Callee) bool { return c.Func.Sum != nil && len(c.Func.Sum.Effects) > 0 })
}

// named returns op with its guard, for an operation on an unknown lock when only one is
// held.
func (s *stepper) named(op lockset.Op) lockset.Op {
	if op.Unnamed && len(s.st.Held) == 1 {
		op.Guard, op.Unnamed = s.st.Held[0].Guard, false
	}
	return op
}

// foreign returns the Steps inside a function of another package.
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

// given returns the Steps of the function arguments of a function of another package.
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

// sync returns the Steps of a function of package sync or sync/atomic.
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
		return nil // the call happens before every return of Do
	case known.Access != 0:
		s.syncCall(c.Obj, c.Args, instr)
	}
	return s.accesses()
}

// MemberPath returns the path of the location of an access, without its key.
func (e *Event) MemberPath() accesspath.Path { return memberPath(e.Base, e.Loc) }
