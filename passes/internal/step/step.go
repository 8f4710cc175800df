// Package step lists, for each instruction of a function, what it does to shared memory, to
// locks and to goroutines: the alphabet of an analysis that executes functions, such as a
// model checker. A summary has the accesses of callees merged into the caller; here a call
// of a function of the package is one step, for the client to follow.
package step

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A Kind is the kind of a Step.
type Kind uint8

const (
	// Access is an access to shared memory.
	Access Kind = iota
	// Lock is an operation on a lock.
	Lock
	// Call is a call of a function of the package, one of several if there are more.
	Call
	// Repeated is any number of calls of a function argument by a function of another
	// package.
	Repeated
	// Spawn starts a goroutine, or passes a function to code that calls it at an
	// unknown time.
	Spawn
	// Argument is a call of a parameter.
	Argument
	// Signal is a signal with a happens-before edge to an Await: Done of a
	// WaitGroup, a send to a channel, or closing it.
	Signal
	// Await blocks until signals have come.
	Await
)

// A Step is one operation of an instruction, for detectors that follow the control flow of
// functions themselves. Functions without locks have them too, and those of a call of a
// function of the package do not include those of the callee.
type Step struct {
	// Kind decides which of the other fields are set.
	Kind  Kind
	Instr ssa.Instruction
	Event *funcsum.Event // for an Access
	// Lock is the operation of a Lock, and Callees the functions that a Call,
	// Repeated or Spawn may run.
	Lock    lockset.Op
	Callees []Callee
	Param   int             // for an Argument: index of the parameter
	Path    accesspath.Path // for a Signal or Await: the WaitGroup or channel
	Pos     token.Pos
}

// A Callee is a function of the package that a call may run.
type Callee struct {
	// Func is the function.
	Func   *funcsum.Body
	p      *funcsum.Summaries
	caller *funcsum.Body
	c      callgraph.Callee
}

// Args returns the arguments of the call, the receiver first.
func (c Callee) Args() []ssa.Value { return c.c.Args }

// Translate rewrites a path of the callee in the terms of the caller.
func (c Callee) Translate(path accesspath.Path) accesspath.Path {
	return c.p.Translate(c.caller, c.c, path)
}

// TranslateKey rewrites a key of the callee in the terms of the caller.
func (c Callee) TranslateKey(key accesspath.Key) accesspath.Key {
	return c.p.TranslateKey(c.caller, c.c, key)
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
			out = append(out, Callee{Func: c.p.Funcs[lit.Fn.ID], p: c.p, caller: c.caller, c: lit})
		}
	}
	return out, -1
}

// Of returns the steps of the instructions of function f of the package p that have any.
func Of(p *funcsum.Summaries, f *funcsum.Body) map[ssa.Instruction][]Step {
	steps := make(map[ssa.Instruction][]Step)
	reader := funcsum.NewReader(f)
	visit := func(instr ssa.Instruction, ord int, st *lockset.State) {
		s := finder{p: p, f: f, reader: reader.At(instr, ord, st), instr: instr, st: st}
		if list := s.steps(); len(list) > 0 {
			steps[instr] = list
		}
	}
	if f.Flow != nil {
		f.Flow.Walk(visit)
		return steps
	}
	none, ord := new(lockset.State), 0
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			visit(instr, ord, none)
			ord++
		}
	}
	return steps
}

// A finder finds the steps of one instruction.
type finder struct {
	p      *funcsum.Summaries
	f      *funcsum.Body
	reader *funcsum.InstrReader
	instr  ssa.Instruction
	st     *lockset.State // before the instruction
}

func (s *finder) steps() []Step {
	switch instr := s.instr.(type) {
	case *ssa.Go:
		return s.spawn(instr)
	case *ssa.Send:
		return append(s.tokens(), s.signal(Signal, instr.Chan)...)
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			return append(s.tokens(), s.signal(Await, instr.X)...)
		}
	case *ssa.Select:
		return s.tokens()
	case ssa.CallInstruction:
		return s.callSteps(instr)
	}
	return s.accesses(s.reader.Accesses())
}

// accesses returns the steps of accesses. Critical sections inside a
// function of another package become operations on locks around them.
func (s *finder) accesses(events []*funcsum.Event) []Step {
	var out []Step
	var open []funcsum.Hold
	leave := func(keep []funcsum.Hold) {
		for i := len(open) - 1; i >= 0; i-- {
			h := open[i]
			if !slices.ContainsFunc(keep, func(k funcsum.Hold) bool { return k.SamePassage(h) }) {
				out = append(out, s.lock(lockset.Op{Kind: lockset.Release, Guard: h.Guard}))
				open = slices.Delete(open, i, i+1)
			}
		}
	}
	for _, e := range events {
		var inner []funcsum.Hold
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
		out = append(out, Step{Kind: Access, Instr: s.instr, Event: e, Pos: e.Pos.Pos})
	}
	leave(nil)
	return out
}

func (s *finder) lock(op lockset.Op) Step {
	return Step{Kind: Lock, Instr: s.instr, Lock: op, Pos: ssautil.Pos(s.instr)}
}

// tokens returns the operations on a channel that is a lock.
func (s *finder) tokens() []Step {
	var out []Step
	for _, op := range s.f.Ops()[s.instr] {
		out = append(out, s.lock(op))
	}
	return out
}

func (s *finder) signal(kind Kind, v ssa.Value) []Step {
	path := s.f.Res.Resolve(v).Path
	if path == accesspath.Unknown {
		return nil
	}
	return []Step{{Kind: kind, Instr: s.instr, Path: path, Pos: ssautil.Pos(s.instr)}}
}

func (s *finder) callee(c callgraph.Callee) Callee {
	return Callee{Func: s.p.Funcs[c.Fn.ID], p: s.p, caller: s.f, c: c}
}

// spawn returns the step of a go statement.
func (s *finder) spawn(g *ssa.Go) []Step {
	var out []Callee
	for _, c := range s.p.Callees(s.f, &g.Call) {
		if c.Fn != nil {
			out = append(out, s.callee(c))
		}
	}
	return s.started(out)
}

func (s *finder) started(callees []Callee) []Step {
	if len(callees) == 0 {
		return nil
	}
	return []Step{{Kind: Spawn, Instr: s.instr, Callees: callees, Pos: ssautil.Pos(s.instr)}}
}

// callSteps returns the steps of a call, also of a deferred one.
func (s *finder) callSteps(instr ssa.CallInstruction) []Step {
	common := instr.Common()
	if b := ssautil.Builtin(common); b != "" {
		if b == "close" {
			return s.signal(Signal, common.Args[0])
		}
		return s.accesses(s.reader.Builtin(b, common.Args))
	}
	if prm, ok := common.Value.(*ssa.Parameter); ok && !common.IsInvoke() {
		return []Step{{Kind: Argument, Instr: s.instr, Param: slices.Index(s.f.Fn.Params, prm), Pos: ssautil.Pos(s.instr)}}
	}
	var out []Step
	var own []Callee
	for _, c := range s.p.Callees(s.f, common) {
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
		out = append(out, Step{Kind: Call, Instr: s.instr, Callees: own, Pos: ssautil.Pos(s.instr)})
	}
	return out
}

// entersLock reports whether the summary of a callee has effects on locks, which have
// precedence over the meaning of its name.
func (s *finder) entersLock(callees []Callee) bool {
	return slices.ContainsFunc(callees, func(c Callee) bool { return c.Func.Sum != nil && len(c.Func.Sum.Effects) > 0 })
}

// named returns op with its guard, for an operation on an unknown lock when only one is
// held.
func (s *finder) named(op lockset.Op) lockset.Op {
	if op.Unnamed && len(s.st.Held) == 1 {
		op.Guard, op.Unnamed = s.st.Held[0].Guard, false
	}
	return op
}

// foreign returns the steps inside a function of another package.
func (s *finder) foreign(c callgraph.Callee, instr ssa.CallInstruction) []Step {
	if c.Obj == nil {
		return nil
	}
	if stdlib.Declares(c.Obj).Listed {
		return s.sync(c, instr)
	}
	events, ops := s.reader.Foreign(c, instr)
	out := s.accesses(events)
	for _, op := range ops {
		out = append(out, s.lock(op))
	}
	return append(out, s.given(c, instr)...)
}

// given returns the steps of the function arguments of a function of another package.
func (s *finder) given(c callgraph.Callee, instr ssa.CallInstruction) []Step {
	var out []Step
	for i := range c.Args {
		lits, _ := (Callee{p: s.p, caller: s.f, c: c}).Argument(i)
		if len(lits) == 0 {
			continue
		}
		kind := Repeated
		if s.p.ArgumentKind(instr) != fact.Called {
			kind = Spawn
		}
		out = append(out, Step{Kind: kind, Instr: s.instr, Callees: lits, Pos: ssautil.Pos(s.instr)})
	}
	return out
}

// sync returns the steps of a function of package sync or sync/atomic.
func (s *finder) sync(c callgraph.Callee, instr ssa.CallInstruction) []Step {
	switch known := stdlib.OfFunc(c.Obj); {
	case known.Signals:
		return s.signal(Signal, c.Args[0])
	case known.Awaits:
		return s.signal(Await, c.Args[0])
	case known.Group:
		out := s.given(c, instr)
		for i := range out {
			out[i].Path = s.f.Res.Resolve(c.Args[0]).Path
		}
		return out
	case known.Runs == stdlib.Once:
		return nil // the call happens before every return of Do
	case known.Access != 0:
		return s.accesses(s.reader.Sync(c, instr))
	}
	return nil
}
