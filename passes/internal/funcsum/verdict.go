package funcsum

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// An error result is a verdict if the function makes the error itself, to tell what it has
// found: it is a boolean result with an explanation.
//
//	func (s *S) checkOpen() error { s.mu.Lock(); defer s.mu.Unlock(); if s.closed { return ErrClosed }; return nil }
//
// The error of an operation that has failed is none: it tells of the operation, and not of
// the variables that the operation was given.
//
//	func (s *S) ping() error { s.mu.Lock(); c := s.conn; s.mu.Unlock(); return c.Ping() }
//
// It must hold at every return that a protected read may precede. An error that is returned before that, such as that of a lock that is
// not acquired, says nothing about the variables, if the function makes another one after a read:
//
//	if err := s.enter(ctx); err != nil { return err }
//	defer s.leave()
//	if s.closed { return ErrClosed }
//
// A call is taken to make an error if it gets only text, plain values and errors that are verdicts, and the function does not
// compare the result with nil before it returns it: errors.New, fmt.Errorf, and what resembles them. Some return must be of nil, so
// that a branch has chosen the error.

// isVerdict reports whether error result i of f is a verdict.
func (p *Summaries) isVerdict(f *Body, returns []*ssa.Return, i int) bool {
	if !ssautil.IsError(f.Fn.Signature.Results().At(i).Type()) {
		return false
	}
	some, made, failed := false, false, false
	for _, r := range returns {
		v := ssautil.Returned(r, i)
		none, told := ssautil.IsNil(v), p.isVerdictOfCallee(f, v)
		some = some || none || told
		switch {
		case none:
		case told || p.makesError(f, v, limit.FuncValueSteps):
			made = made || f.readsBefore(r, 0)
		case f.readsBefore(r, 1):
			return false
		default:
			failed = true
		}
	}
	return some && (made || !failed)
}

// readsBefore reports whether a read may precede an instruction, in at least the given number of critical sections of f.
func (f *Body) readsBefore(instr ssa.Instruction, locks int) bool {
	return slices.ContainsFunc(f.Events, func(e *Event) bool { return e.Reads() && len(e.Holds) >= locks && f.Order().Flows(e.Instr, instr) })
}

// isVerdictOfCallee reports whether v is the error result of a call that is a verdict of the
// callee.
func (p *Summaries) isVerdictOfCallee(f *Body, v ssa.Value) bool {
	i := 0
	if x, ok := v.(*ssa.Extract); ok {
		v, i = x.Tuple, x.Index
	}
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	callees := p.Callees(f, &c.Call)
	for _, callee := range callees {
		s := p.SummaryOf(callee)
		if s == nil || i >= len(s.Results) || !s.Results[i].Verdict {
			return false
		}
	}
	return len(callees) > 0
}

// makesError reports whether v is an error that f makes, in at most the given number of steps.
func (p *Summaries) makesError(f *Body, v ssa.Value, steps int) bool {
	if steps == 0 {
		return false
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		_, sentinel := v.X.(*ssa.Global)
		return v.Op == token.MUL && sentinel
	case *ssa.MakeInterface:
		_, result := v.X.(*ssa.Call)
		return !result
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return !p.makesError(f, e, steps-1) })
	case *ssa.Call:
		return v.Call.StaticCallee() != nil && !ssautil.IsComparedWithNil(v) && !slices.ContainsFunc(elements(v.Call.Args), func(a ssa.Value) bool {
			return !p.explains(f, a, steps-1)
		})
	}
	return false
}

// explains reports whether v, an argument of a call that makes an error, is text, a plain value
// or a verdict.
func (p *Summaries) explains(f *Body, v ssa.Value, steps int) bool {
	switch {
	case v == nil || ssautil.IsPlain(v.Type()):
		return true
	case ssautil.IsError(v.Type()):
		return p.isVerdictOfCallee(f, v) || p.makesError(f, v, steps)
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return ssautil.IsPlain(v.X.Type())
	case *ssa.ChangeInterface:
		return p.explains(f, v.X, steps)
	case *ssa.Const:
		return true
	}
	return false
}

// elements returns the arguments of a call, with those of a variadic list one by one.
func elements(args []ssa.Value) []ssa.Value {
	if len(args) == 0 {
		return nil
	}
	last := len(args) - 1
	array := ssautil.Variadic(args[last])
	if array == nil {
		return args
	}
	return append(slices.Clone(args[:last]), ssautil.StoredIn(array)...)
}

// IsVerdict reports whether e is a read in a callee that tells by an error what it has found.
func (e *Event) IsVerdict() bool {
	if e.Callee == nil {
		return false
	}
	found := false
	for _, r := range e.Callee.Results {
		if slices.Contains(r.Reads, e.Index) {
			if !r.Verdict {
				return false
			}
			found = true
		}
	}
	return found
}
